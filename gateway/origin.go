package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// origins decides which web pages may use the bridge: those it is the origin of, and
// those that are allowed by name. What is not a browser sends no Origin and is not
// held to it.
type origins struct{ allowed []string }

func (o origins) allow(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(o.allowed, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// guard refuses pages of other origins, and answers the questions browsers ask before
// they send a request across origins.
func (o origins) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !o.allow(r) {
			refuse(w, &refusal{code: codeForbidden, status: http.StatusForbidden, message: "the origin " + r.Header.Get("Origin") + " is not allowed"})
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			if r.Method == http.MethodOptions {
				h.Set("Access-Control-Allow-Methods", "GET, POST")
				h.Set("Access-Control-Allow-Headers", "Content-Type, Authorization")
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
