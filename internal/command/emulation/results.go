package emulation

// Viewport is the result of `set viewport`: the size of the page, in CSS pixels.
type Viewport struct {
	Width             int     `json:"width"`
	Height            int     `json:"height"`
	DeviceScaleFactor float64 `json:"deviceScaleFactor"` // device pixels to a CSS pixel
	Mobile            bool    `json:"mobile"`            // laid out as on a phone
}

// Device is the result of `set device`.
type Device struct {
	Device string `json:"device"` // its name; default for none
	Viewport
	Touch     bool   `json:"touch"` // whether there is a touch screen
	UserAgent string `json:"userAgent"`
}

// Devices is the result of `set devices`.
type Devices struct {
	Devices []string `json:"devices"` // names
}

// Geolocation is the result of `set geo`; without a position it is the browser's own.
type Geolocation struct {
	Latitude  *float64 `json:"latitude,omitzero"`  // degrees north
	Longitude *float64 `json:"longitude,omitzero"` // degrees east
	Accuracy  *float64 `json:"accuracy,omitzero"`  // metres
	// Permission is whether the page may read it: granted, denied or prompt; absent in a page that cannot, because it is
	// not secure.
	Permission string `json:"permission,omitzero"`
}

// Offline is the result of `set offline`.
type Offline struct {
	Offline bool `json:"offline"` // as the page sees it: navigator.onLine; what was set, for a page that waits for a login or a permission
}

// Headers is the result of `set headers`.
type Headers struct {
	Set     bool     `json:"set"`
	Headers []string `json:"headers"` // names of the extra headers
}

// Credentials is the result of `set credentials`.
type Credentials struct {
	Set bool `json:"set"`
}

// Media is the result of `set media`: what the page sees.
type Media struct {
	Set           bool   `json:"set"`
	Media         string `json:"media"`         // print or screen
	ColorScheme   string `json:"colorScheme"`   // dark or light
	ReducedMotion string `json:"reducedMotion"` // reduce or no-preference
	ForcedColors  string `json:"forcedColors"`  // active or none
	Contrast      string `json:"contrast"`      // more, less, custom or no-preference
}

// Timezone is the result of `set timezone`.
type Timezone struct {
	Set      bool   `json:"set"`
	Timezone string `json:"timezone"` // as the page sees it
}

// Locale is the result of `set locale`: what the page sees.
type Locale struct {
	Set       bool     `json:"set"`
	Locale    string   `json:"locale"`    // of the formats of numbers and dates
	Languages []string `json:"languages"` // navigator.languages
}

// UserAgent is the result of `set useragent`: what the page sees.
type UserAgent struct {
	Set       bool   `json:"set"`
	UserAgent string `json:"userAgent"`
	Platform  string `json:"platform"` // navigator.platform
}

// Permissions is the result of `set permissions`.
type Permissions struct {
	Set bool `json:"set"`
	// Permissions are the states of the named permissions in the page: granted, denied or prompt. Those that the page
	// cannot ask for are absent.
	Permissions map[string]string `json:"permissions"`
}
