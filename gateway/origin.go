package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.uber.org/zap"
)

// origins decides which web pages may use the bridge: those it is the origin of, and
// those that are allowed by name. What is not a browser sends no Origin and is not
// held to it.
type origins struct {
	allowed []string
	log     *zap.Logger
}

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
			o.log.Warn("a page was refused; name its origin among the allowed ones if it may call", requestField(r.Context()), zap.String("origin", r.Header.Get("Origin")))
			refuse(w, &refusal{code: codeForbidden, status: http.StatusForbidden, message: "the origin " + r.Header.Get("Origin") + " is not allowed"})
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Add("Vary", "Origin")
			if r.Method == http.MethodOptions {
				h.Set("Access-Control-Allow-Methods", "GET, POST")
				// Pages send headers of their own; whoever may call may say what it likes.
				if wanted := r.Header.Get("Access-Control-Request-Headers"); wanted != "" {
					h.Set("Access-Control-Allow-Headers", wanted)
				}
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
