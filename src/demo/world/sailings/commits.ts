import type { Branch, Commit } from '../../world-types.ts'
import { api, calendar, calendarTest, data, dockerfile, main, pipeline, readme } from './files.ts'

/** The commits on `main` that belong to no merge request, oldest first. */
export const commits: readonly Commit[] = [
  {
    by: 'noor',
    at: '118d 10:10',
    message: 'Begin the service',
    files: {
      'README.md': readme,
      'go.mod': 'module example.com/slipway/sailings\n\ngo 1.25\n',
      'cmd/sailings/main.go': main,
    },
  },
  {
    by: 'noor',
    at: '117d 15:25',
    message: 'Know on which days a boat goes',
    files: { 'internal/calendar/calendar.go': calendar, 'internal/calendar/calendar_test.go': calendarTest },
  },
  {
    by: 'noor',
    at: '116d 11:40',
    message: 'Answer with the sailings of today',
    files: { 'internal/api/api.go': api, 'data/sailings.csv': data },
  },
  {
    by: 'noor',
    at: '115d 09:05',
    message: 'Read sailings from a file',
    files: {
      'internal/calendar/calendar.go': [
        ['import "time"', 'import (\n\t"encoding/csv"\n\t"os"\n\t"time"\n)'],
        [
          '\treturn nil\n',
          '\tfile, err := os.Open(path)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tdefer file.Close()\n\trows, err := csv.NewReader(file).ReadAll()\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tvar all []Sailing\n\tfor _, row := range rows[1:] {\n\t\tall = append(all, Sailing{From: row[0], To: row[1], Boat: row[2]})\n\t}\n\treturn all\n',
        ],
      ],
    },
  },
  {
    by: 'noor',
    at: '113d 14:00',
    message: 'Read the days of a sailing',
    files: {
      'internal/calendar/calendar.go': [
        [
          '\t\tall = append(all, Sailing{From: row[0], To: row[1], Boat: row[2]})',
          "\t\ts := Sailing{From: row[0], To: row[1], Boat: row[2]}\n\t\tfor day, mark := range row[4] {\n\t\t\ts.Days[(day+1)%7] = mark == '1'\n\t\t}\n\t\tall = append(all, s)",
        ],
      ],
    },
  },
  {
    by: 'noor',
    at: '108d 09:10',
    message: 'Test and build an image for every push',
    files: { '.gitlab-ci.yml': pipeline, Dockerfile: dockerfile },
  },
  {
    by: 'pavel',
    at: '106d 13:50',
    message: 'Run as nobody',
    files: { Dockerfile: [['ENTRYPOINT', 'USER 65534\nENTRYPOINT']] },
  },
  {
    by: 'noor',
    at: '99d 10:35',
    message: 'Find the sailings of one stop',
    files: {
      'internal/api/api.go': [
        [
          '\t\tjson.NewEncoder(w).Encode(calendar.On(all, time.Now()))',
          '\t\tfound := calendar.On(all, time.Now())\n\t\tif stop := r.URL.Query().Get("stop"); stop != "" {\n\t\t\tfound = calendar.From(found, stop)\n\t\t}\n\t\tjson.NewEncoder(w).Encode(found)',
        ],
      ],
      'internal/calendar/stops.go':
        'package calendar\n\n// From returns the sailings that leave a stop.\nfunc From(all []Sailing, stop string) []Sailing {\n\tvar found []Sailing\n\tfor _, s := range all {\n\t\tif s.From == stop {\n\t\t\tfound = append(found, s)\n\t\t}\n\t}\n\treturn found\n}\n',
    },
    fails: ['test'],
  },
  {
    by: 'noor',
    at: '99d 11:20',
    message: 'Compare stops without regard to case',
    files: {
      'internal/calendar/stops.go': [
        ['package calendar\n', 'package calendar\n\nimport "strings"\n'],
        ['s.From == stop', 'strings.EqualFold(s.From, stop)'],
      ],
    },
  },
  {
    by: 'noor',
    at: '83d 15:30',
    message: 'Let boats after midnight belong to the day before\n\nMinutes of the day go on after 24:00, as on paper.',
    files: {
      'internal/calendar/minutes.go':
        'package calendar\n\nimport (\n\t"fmt"\n\t"time"\n)\n\n// Clock returns what a clock shows at a minute of the day of operation.\nfunc Clock(minute int) string {\n\treturn fmt.Sprintf("%02d:%02d", minute/60%24, minute%60)\n}\n\n// dayEnds is when a day of operation ends: no boat goes at four in the morning.\nconst dayEnds = 4 * time.Hour\n\n// DayOf returns the day of operation at a time.\nfunc DayOf(at time.Time) time.Time {\n\treturn at.Add(-dayEnds)\n}\n',
      'internal/api/api.go': [['calendar.On(all, time.Now())', 'calendar.On(all, calendar.DayOf(time.Now()))']],
    },
  },
  {
    by: 'pavel',
    at: '73d 09:15',
    message: 'Log requests that take longer than a second',
    files: {
      'internal/api/slow.go':
        'package api\n\nimport (\n\t"log"\n\t"net/http"\n\t"time"\n)\n\nfunc logSlow(next http.Handler) http.Handler {\n\treturn http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n\t\tbegan := time.Now()\n\t\tnext.ServeHTTP(w, r)\n\t\tif took := time.Since(began); took > time.Second {\n\t\t\tlog.Printf("%s took %s", r.URL.Path, took)\n\t\t}\n\t})\n}\n',
      'internal/api/api.go': [['\treturn mux\n', '\treturn logSlow(mux)\n']],
    },
  },
  {
    by: 'noor',
    at: '45d 10:00',
    message: 'Keep the zone of each harbour\n\nFor slipway/apps/timetable#9.',
    files: {
      'data/harbours.csv':
        'harbour,zone\nHalmhavn,Europe/Copenhagen\nOster,Europe/Copenhagen\nHale,Europe/London\nPort Ewan,Europe/London\n',
      'internal/calendar/zones.go':
        'package calendar\n\nimport "time"\n\n// Zone returns the zone of a harbour. It refuses names that this machine does not know.\nfunc Zone(name string) (*time.Location, error) {\n\treturn time.LoadLocation(name)\n}\n',
    },
  },
  {
    by: 'noor',
    at: '23d 16:15',
    message: 'Answer 503 while data are read',
    files: {
      'internal/api/api.go': [
        [
          'func(w http.ResponseWriter, r *http.Request) {})',
          'func(w http.ResponseWriter, r *http.Request) {\n\t\tif all == nil {\n\t\t\thttp.Error(w, "no data yet", http.StatusServiceUnavailable)\n\t\t}\n\t})',
        ],
      ],
    },
  },
  {
    by: 'lena',
    at: '5d 14:40',
    message: 'Enter the sailings of the spring timetable',
    files: {
      'data/sailings.csv': [
        [
          'Halmhavn,Skarv,Lom,07:45,1111100\n',
          'Halmhavn,Skarv,Lom,07:45,1111111\nHalmhavn,Skarv,Lom,12:15,1111111\nSkarv,Little Skarv,Lom,08:15,0000011\n',
        ],
      ],
    },
  },
]

/** Branches without a merge request. */
export const branches: readonly Branch[] = [
  {
    name: 'noor/postgres',
    commits: [
      {
        by: 'noor',
        at: '67d 17:45',
        message: 'Try a database in place of the file',
        files: { 'internal/store/store.go': '// Package store keeps sailings in PostgreSQL.\npackage store\n' },
      },
    ],
  },
]
