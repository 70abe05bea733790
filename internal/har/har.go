// Package har has the types of HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), and reads and writes its files.
// Members that begin with _ are those of Chrome's DevTools.
package har

// Version is the version of the format.
const Version = "1.2"

// Log is the content of a file.
type Log struct {
	Version string  `json:"version"`
	Creator Tool    `json:"creator"`
	Browser *Tool   `json:"browser,omitzero"`
	Pages   []Page  `json:"pages,omitzero"`
	Entries []Entry `json:"entries"`
}

// Tool is a program with its version.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Page is a document that a tab has loaded.
type Page struct {
	Started string      `json:"startedDateTime"` // ISO 8601
	ID      string      `json:"id"`
	Title   string      `json:"title"` // its URL, as in Chrome's DevTools
	Timings PageTimings `json:"pageTimings"`
}

// PageTimings are in milliseconds since the page's start; -1 for unknown.
type PageTimings struct {
	ContentLoad float64 `json:"onContentLoad"`
	Load        float64 `json:"onLoad"`
}

// Entry is a request with its response. Each redirect is an Entry.
type Entry struct {
	Page       string    `json:"pageref,omitzero"`
	Started    string    `json:"startedDateTime"` // ISO 8601
	Time       float64   `json:"time"`            // milliseconds
	Request    Request   `json:"request"`
	Response   Response  `json:"response"`
	Cache      struct{}  `json:"cache"`
	Timings    Timings   `json:"timings"`
	ServerIP   string    `json:"serverIPAddress,omitzero"`
	Connection string    `json:"connection,omitzero"`
	Comment    string    `json:"comment,omitzero"`
	Initiator  *Named    `json:"_initiator,omitzero"`
	Type       string    `json:"_resourceType,omitzero"` // in lower case
	FromCache  string    `json:"_fromCache,omitzero"`    // "disk"
	FromWorker bool      `json:"_fromServiceWorker,omitzero"`
	Messages   []Message `json:"_webSocketMessages,omitzero"`
}

// Named is an object with a type.
type Named struct {
	Type string `json:"type"`
}

// Request is the request of an Entry. Sizes are in bytes, -1 for unknown.
type Request struct {
	Method      string    `json:"method"`
	URL         string    `json:"url"` // without fragment
	HTTPVersion string    `json:"httpVersion"`
	Cookies     []Cookie  `json:"cookies"`
	Headers     []Pair    `json:"headers"`
	Query       []Pair    `json:"queryString"`
	PostData    *PostData `json:"postData,omitzero"`
	HeadersSize int64     `json:"headersSize"`
	BodySize    int64     `json:"bodySize"`
}

// PostData is the body of a request.
type PostData struct {
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	Params   []Pair `json:"params,omitzero"`
	Comment  string `json:"comment,omitzero"`
}

// Response is the response of an Entry. Its Status is 0 if there was none. Sizes are in bytes, -1 for unknown.
type Response struct {
	Status       int      `json:"status"`
	StatusText   string   `json:"statusText"`
	HTTPVersion  string   `json:"httpVersion"`
	Cookies      []Cookie `json:"cookies"`
	Headers      []Pair   `json:"headers"`
	Content      Content  `json:"content"`
	RedirectURL  string   `json:"redirectURL"`
	HeadersSize  int64    `json:"headersSize"`
	BodySize     int64    `json:"bodySize"`
	TransferSize int64    `json:"_transferSize,omitzero"`
	// Error is the browser's, such as net::ERR_CONNECTION_REFUSED.
	Error string `json:"_error,omitzero"`
}

// Content is the body of a response.
type Content struct {
	Size        int64  `json:"size"` // decompressed
	Compression int64  `json:"compression,omitzero"`
	MIMEType    string `json:"mimeType"`
	Text        string `json:"text,omitzero"`
	Encoding    string `json:"encoding,omitzero"` // "base64", or empty
	// Comment is why there is no text, or not all of it.
	Comment string `json:"comment,omitzero"`
}

// Pair is a header, or a parameter of a query or form.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Cookie is a cookie of a request or response.
type Cookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Path     string `json:"path,omitzero"`
	Domain   string `json:"domain,omitzero"`
	Expires  string `json:"expires,omitzero"` // ISO 8601
	HTTPOnly bool   `json:"httpOnly,omitzero"`
	Secure   bool   `json:"secure,omitzero"`
	SameSite string `json:"sameSite,omitzero"`
}

// Timings are in milliseconds; -1 for what does not apply. Connect includes SSL.
type Timings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}

// Total returns the sum of the phases.
func (t *Timings) Total() float64 {
	total := 0.0
	for _, phase := range []float64{t.Blocked, t.DNS, t.Connect, t.Send, t.Wait, t.Receive} {
		total += max(0, phase)
	}
	return total
}

// Message is a message of a WebSocket.
type Message struct {
	Type   string  `json:"type"` // "send" or "receive"
	Time   float64 `json:"time"` // seconds since 1970
	Opcode int     `json:"opcode"`
	Data   string  `json:"data"` // in base64 unless Opcode is 1
}
