package browserhost

import "testing"

func TestIsRemote(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]bool{
		"": false, "9222": false, "http://127.0.0.1:9222": false, "ws://localhost:9222/devtools/browser/x": false, "http://[::1]:9222": false,
		"http://[::ffff:127.0.0.1]:9222": false, "http://app.localhost:9222": false,
		"http://192.168.1.4:9222": true, "wss://browsers.example/x": true, "http://127.0.0.1.example:9222": true, "http://%zz": true,
	} {
		if got := isRemote(endpoint); got != want {
			t.Errorf("%q: %v", endpoint, got)
		}
	}
}
