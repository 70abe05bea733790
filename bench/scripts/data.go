package scripts

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// latency is the time in which the site answers questions for data: that of a near server.
const latency = 15 * time.Millisecond

type person struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Town string `json:"town"`
	Age  int    `json:"age"`
}

type product struct {
	ID    int     `json:"id"`
	Title string  `json:"title"`
	Price float64 `json:"price"`
}

type order struct {
	ID       int    `json:"id"`
	State    string `json:"state"`
	Customer string `json:"customer"`
	Total    string `json:"total"`
}

func routeData(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/people", listPeople)
	mux.HandleFunc("GET /api/search", func(w http.ResponseWriter, r *http.Request) {
		found := []product{}
		for _, p := range products() {
			if q := strings.ToLower(r.URL.Query().Get("q")); q != "" && strings.Contains(strings.ToLower(p.Title), q) {
				found = append(found, p)
			}
		}
		answer(w, found)
	})
	mux.HandleFunc("GET /api/feed", feed)
	mux.HandleFunc("GET /api/orders", func(w http.ResponseWriter, _ *http.Request) { answer(w, orders()) })
	mux.HandleFunc("GET /api/orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.Atoi(r.PathValue("id"))
		if err != nil || id < 1 || id > len(orders()) {
			http.NotFound(w, r)
			return
		}
		answer(w, orders()[id-1])
	})
	mux.HandleFunc("GET /api/email", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]bool{"free": r.URL.Query().Get("address") != "ada@example.org"})
	})
	mux.HandleFunc("/api/echo", echo)
	mux.HandleFunc("GET /api/nothing", http.NotFound)
}

func answer(w http.ResponseWriter, value any) {
	time.Sleep(latency)
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(text)
}

// echo answers with what it was sent: the method, the body and the headers that scripts set.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	headers := map[string]string{}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-") || name == "User-Agent" && !strings.Contains(r.UserAgent(), "Chrome") || name == "Cookie" {
			headers[strings.ToLower(name)] = r.Header.Get(name)
		}
	}
	answer(w, map[string]any{"method": r.Method, "body": string(body), "headers": headers})
}

func listPeople(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	rows := people()
	if q := strings.ToLower(query.Get("q")); q != "" {
		rows = slices.DeleteFunc(rows, func(p person) bool { return !strings.Contains(strings.ToLower(p.Name+" "+p.Town), q) })
	}
	by := map[string]func(a, b person) int{
		"name": func(a, b person) int { return cmp.Compare(a.Name, b.Name) },
		"town": func(a, b person) int { return cmp.Compare(a.Town, b.Town) },
		"age":  func(a, b person) int { return cmp.Compare(a.Age, b.Age) },
	}[query.Get("sort")]
	if by != nil {
		slices.SortStableFunc(rows, by)
		if query.Get("dir") == "descending" {
			slices.Reverse(rows)
		}
	}
	size, page := number(r, "size", 10), number(r, "page", 1)
	from := min(max(page-1, 0)*size, len(rows))
	answer(w, map[string]any{"rows": rows[from:min(from+size, len(rows))], "pages": (len(rows) + size - 1) / size, "total": len(rows)})
}

func number(r *http.Request, key string, otherwise int) int {
	n, err := strconv.Atoi(r.URL.Query().Get(key))
	if err != nil || n < 1 {
		return otherwise
	}
	return n
}

// feed has sixty posts, ten at a time.
func feed(w http.ResponseWriter, r *http.Request) {
	type post struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
		Likes int    `json:"likes"`
	}
	const all, each = 60, 10
	after := number(r, "after", 0)
	var posts []post
	for id := after + 1; id <= min(after+each, all); id++ {
		posts = append(posts, post{id, fmt.Sprintf("Post %d", id), id * 7 % 23})
	}
	answer(w, map[string]any{"posts": posts, "last": after+each >= all})
}

func people() []person {
	first := []string{"Ada", "Bela", "Cora", "Dan", "Eva", "Finn", "Gita", "Hugo"}
	last := []string{"Novak", "Berg", "Silva", "Moreau", "Okafor", "Tanaka"}
	town := []string{"Bern", "Oslo", "Porto", "Lyon", "Lagos"}
	var all []person
	for i := range 48 {
		all = append(all, person{i + 1, first[i%len(first)] + " " + last[i/len(first)], town[i*3%len(town)], 20 + i*17%45})
	}
	return all
}

func products() []product {
	var all []product
	for i, title := range []string{"Green teapot", "Red teapot", "Iron teapot", "Tea cup", "Coffee cup", "Tray", "Tea tray", "Kettle", "Travel kettle", "Sugar bowl"} {
		all = append(all, product{i + 1, title, 5 + float64(i)*2.25})
	}
	return all
}

func orders() []order {
	states := []string{"open", "paid", "sent"}
	var all []order
	for i := range 9 {
		all = append(all, order{i + 1, states[i%3], people()[i*5].Name, fmt.Sprintf("%d.50", 10+i*3)})
	}
	return all
}

// picture serves a red picture of eight by eight pixels.
func picture(w http.ResponseWriter, _ *http.Request) {
	red := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		red.Set(i%8, i/8, color.RGBA{200, 40, 40, 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, red); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(out.Bytes())
}
