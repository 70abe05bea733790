package model

// NetworkConditions are what a browser context emulates of a slow or missing network. The zero value emulates nothing.
type NetworkConditions struct {
	// Preset is the name of the throttling preset, empty for none.
	Preset string
	// Offline makes every request fail with net::ERR_INTERNET_DISCONNECTED.
	Offline bool
	// Latency is the least time from a request to the first byte of its response, in milliseconds.
	Latency float64
	// Download and Upload bound the throughput, in bytes per second; 0 for no bound.
	Download, Upload float64
}
