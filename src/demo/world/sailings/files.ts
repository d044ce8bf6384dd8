/** The first texts of files; commits change parts of them later. */
export const readme = `# Sailings

The service that knows every sailing: which boat leaves from where, on which days, and whether it is late.

    go run ./cmd/sailings -listen :8090

| path | answer |
|---|---|
| \`/v1/sailings\` | all of today |
| \`/v1/sailings?stop=skarv\` | those of one stop |
| \`/healthz\` | 200 when it can answer |
`

export const main = `package main

import (
	"flag"
	"log"
	"net/http"

	"example.com/slipway/sailings/internal/api"
	"example.com/slipway/sailings/internal/calendar"
)

func main() {
	listen := flag.String("listen", ":8090", "address to listen on")
	flag.Parse()
	days := calendar.Load("data/sailings.csv")
	log.Fatal(http.ListenAndServe(*listen, api.New(days)))
}
`

export const calendar = `// Package calendar knows on which days a boat goes.
package calendar

import "time"

// A Sailing leaves at a minute of the day of operation; 24:20 is after midnight.
type Sailing struct {
	From, To, Boat string
	Minute         int
	Days           [7]bool
}

// On returns the sailings of a day of operation.
func On(all []Sailing, day time.Time) []Sailing {
	var found []Sailing
	for _, s := range all {
		if s.Days[day.Weekday()] {
			found = append(found, s)
		}
	}
	return found
}

// Load reads sailings from a file.
func Load(path string) []Sailing {
	return nil
}
`

export const calendarTest = `package calendar

import (
	"testing"
	"time"
)

func TestOnlyOnItsDays(t *testing.T) {
	friday := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	s := Sailing{From: "Oster", Days: [7]bool{5: true}}
	if got := On([]Sailing{s}, friday); len(got) != 1 {
		t.Errorf("got %d sailings, want 1", len(got))
	}
	if got := On([]Sailing{s}, friday.AddDate(0, 0, 1)); len(got) != 0 {
		t.Errorf("got %d sailings, want none", len(got))
	}
}
`

export const api = `// Package api answers over HTTP.
package api

import (
	"encoding/json"
	"net/http"
	"time"

	"example.com/slipway/sailings/internal/calendar"
)

// New returns the handler of the whole service.
func New(all []calendar.Sailing) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {})
	mux.HandleFunc("GET /v1/sailings", func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(calendar.On(all, time.Now()))
	})
	return mux
}
`

export const data = `from,to,boat,leaves,days
Halmhavn,Oster,Terna,06:30,1111111
Halmhavn,Skarv,Lom,07:45,1111100
Oster,Halmhavn,Terna,07:25,1111111
Oster,Halmhavn,Terna,24:20,0000100
`

export const dockerfile = `FROM golang:1.25 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -o /sailings ./cmd/sailings

FROM scratch
COPY --from=build /sailings /sailings
ENTRYPOINT ["/sailings"]
`

export const pipeline = `stages: [test, image]

test:
  stage: test
  image: golang:1.25
  script:
    - go vet ./...
    - go test -race -cover ./...
  artifacts:
    paths: [coverage]

image:
  stage: image
  script:
    - docker build --tag "$CI_REGISTRY_IMAGE:$CI_COMMIT_SHORT_SHA" .
    - docker push "$CI_REGISTRY_IMAGE:$CI_COMMIT_SHORT_SHA"
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
    - if: $CI_COMMIT_TAG
`
