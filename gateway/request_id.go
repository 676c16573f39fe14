package gateway

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"go.uber.org/zap"
)

// requestIDHeader is where a client reads the id that the log has for its request.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// identify gives every request an id of its own. A client's word is not taken for it:
// the id ties lines of the log together, and must not be forged.
func identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.NewString()
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// requestField is the id of the request that ctx belongs to, for the log.
func requestField(ctx context.Context) zap.Field {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return zap.String("request", id)
}
