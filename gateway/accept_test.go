package gateway

import (
	"net/http"
	"testing"
)

func TestWhatAClientPrefers(t *testing.T) {
	const proto = "application/vnd.ag-ui.event+proto"
	for _, tc := range []struct {
		accept []string
		want   bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"*/*"}, false},
		{[]string{"application/*"}, false},
		{[]string{"application/json"}, false},
		{[]string{"text/event-stream"}, false},
		{[]string{proto}, true},
		{[]string{"Application/VND.ag-ui.event+PROTO"}, true},
		{[]string{proto + "; q=0.001"}, true},
		{[]string{proto + ";q=0"}, false},
		{[]string{proto + ";q=2"}, false},
		{[]string{proto + ";q=NaN"}, false},
		{[]string{proto + ";q=high"}, false},
		{[]string{proto + ";v=1;q=0.5, text/html"}, true},
		{[]string{proto + ", text/event-stream"}, true},
		{[]string{"text/event-stream, " + proto}, false},
		{[]string{"text/event-stream;q=0.9, " + proto}, true},
		{[]string{"text/event-stream;q=0, " + proto + ";q=0.1"}, true},
		{[]string{proto + ";q=0.8, text/event-stream;q=0.9"}, false},
		{[]string{"*/*, " + proto}, true},
		{[]string{"*/*, " + proto + ";q=0.9"}, false},
		{[]string{"*/*;q=0.1, text/*;q=0.7, " + proto + ";q=0.5"}, false},
		{[]string{"text/*;q=0.1, */*, " + proto + ";q=0.5"}, true},
		{[]string{"text/event-stream;q=0.1", proto}, true},
		{[]string{`text/html;x="a,b\",` + proto + `"`}, false},
		{[]string{`text/html;x="a,b", ` + proto}, true},
		{[]string{"garbage,,;," + proto}, true},
	} {
		if got := prefers(http.Header{"Accept": tc.accept}, proto, "text/event-stream"); got != tc.want {
			t.Errorf("%q: got %v", tc.accept, got)
		}
	}
}
