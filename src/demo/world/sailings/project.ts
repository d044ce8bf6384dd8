import type { JobPlan, Project } from '../../world-types.ts'
import { branches, commits } from './commits.ts'
import { issues, mergeRequests } from './work.ts'

const jobs: Record<string, JobPlan> = {
  test: {
    seconds: [45, 130],
    log: `# prepare Preparing the container
Using Docker executor with image golang:1.25
# sources Getting the sources
Checked out {sha} as a detached head
# script Running the script
$ go vet ./...
$ go test -race -cover ./...
+ ok  example.com/slipway/sailings/internal/api       0.412s  coverage: 81.3%
+ ok  example.com/slipway/sailings/internal/calendar  0.208s  coverage: 92.7%`,
    failure: `# script Running the script
$ go vet ./...
$ go test -race -cover ./...
! --- FAIL: TestStopsInAnyCase (0.00s)
!     stops_test.go:14: got 0 sailings, want 1
~ FAIL  example.com/slipway/sailings/internal/calendar  0.211s`,
    artifacts: {
      'coverage/index.html':
        '<!doctype html><title>Coverage</title><p>internal/api 81.3 %<p>internal/calendar 92.7 %\n',
      'coverage/cover.out': 'mode: atomic\n',
    },
  },
  image: {
    seconds: [60, 150],
    log: `# build Building the image
$ docker build --tag "$CI_REGISTRY_IMAGE:$CI_COMMIT_SHORT_SHA" .
#1 [build 1/4] FROM docker.io/library/golang:1.25
#2 [build 4/4] RUN go build
#3 exporting layers
# push Pushing the image
$ docker push "$CI_REGISTRY_IMAGE:$CI_COMMIT_SHORT_SHA"
+ {sha}: digest: sha256:5f2c size: 741`,
  },
}

/** The service that knows every sailing, in Go. */
export const sailings: Project = {
  name: 'Sailings',
  path: 'sailings',
  namespace: 'slipway/services',
  text: 'The service that knows which boat leaves from where, on which days, and how late.',
  visibility: 'public',
  topics: ['ferries', 'go'],
  by: 'noor',
  at: '119d 11:00',
  members: { lena: 'developer' },
  commits,
  branches,
  issues,
  mergeRequests,
  jobs,
  releases: [
    { tag: 'v0.1.0', by: 'noor', at: '107d 10:00', name: '0.1.0', text: 'All sailings of today, as JSON.' },
    {
      tag: 'v0.2.0',
      by: 'noor',
      at: '83d 16:00',
      name: '0.2.0: after midnight',
      text: '- A boat after midnight belongs to the day before (slipway/apps/timetable#6)\n- `?stop=` finds stops in any case (#2)',
    },
    {
      tag: 'v0.3.0',
      by: 'noor',
      at: '25d 12:00',
      name: '0.3.0: delays',
      text: '- Delays are sent with sailings (!2)\n- Harbours have zones',
    },
  ],
  images: [
    { name: '', tag: 'v0.1.0', at: '107d 10:30' },
    { name: '', tag: 'v0.2.0', at: '83d 16:30' },
    { name: '', tag: 'v0.3.0', at: '25d 12:30' },
    { name: '', tag: 'latest', at: '13d 16:10' },
    { name: 'importer', tag: 'nightly', at: '12d 4:30' },
  ],
  schedules: [
    {
      by: 'noor',
      at: '60d 10:00',
      description: 'Test against the zones of today',
      cron: '30 4 * * 1',
      runs: [{ at: '20d 4:30' }, { at: '6d 4:30' }],
    },
  ],
  alerts: [
    {
      at: '66d 5:12',
      title: 'Answers take longer than 2 seconds',
      severity: 'medium',
      service: 'sailings',
      text: 'The 95th percentile was 2.4 s for ten minutes.',
      status: { by: 'pavel', at: '66d 6:00', to: 'resolved' },
    },
    {
      at: '39d 6:41',
      title: 'Sailings does not answer',
      severity: 'critical',
      service: 'sailings',
      text: 'Three probes from two places have failed.',
      incident: {
        by: 'pavel',
        at: '39d 6:48',
        comments: [
          { by: 'pavel', text: '**06:48** Both instances are down. The disk of `quay-2` is full.', after: 0 },
          { by: 'pavel', text: '**07:05** Logs of the last month deleted, both instances start.', after: 0 },
          {
            by: 'noor',
            text: '**07:20** All answers are right again. Pages have shown the paper timetable meanwhile, as planned.',
            after: 0,
          },
          {
            by: 'mara',
            text: 'What do we change so that it does not happen again?',
            after: 2,
            replies: [{ by: 'pavel', text: 'Logs are kept for a week, and an alert comes at 80 %.' }],
          },
        ],
        closed: { by: 'pavel', at: '38d 15:00' },
      },
    },
    {
      at: '18d 2:20',
      title: 'The certificate ends in 14 days',
      severity: 'low',
      service: 'sailings.example.com',
      text: 'The renewal has failed twice.',
      status: { by: 'pavel', at: '18d 8:10', to: 'resolved' },
    },
    {
      at: '6d 4:55',
      title: 'A zone is unknown: Atlantic/Nowhere',
      severity: 'high',
      service: 'importer',
      text: 'One row of harbours.csv was refused.',
      status: { by: 'noor', at: '6d 9:00', to: 'acknowledged' },
    },
    {
      at: '1d 3:33',
      title: 'The disk of quay-2 is 81 % full',
      severity: 'info',
      service: 'quay-2',
      text: '6.1 GiB are free.',
    },
  ],
  acts: [
    { by: 'noor', at: '108d 09:30', to: 'variables', body: { key: 'GOFLAGS', value: '-mod=readonly' } },
    {
      by: 'noor',
      at: '65d 10:00',
      to: 'deploy_tokens',
      body: { name: 'Cluster', scopes: ['read_registry'], expires_at: '{day+300}T00:00:00Z' },
    },
    {
      by: 'noor',
      at: '65d 11:00',
      to: 'wikis',
      body: {
        title: 'home',
        content:
          '# Sailings\n\nA **day of operation** begins at four in the morning. A boat at 00:20 is written as 24:20.\n',
      },
    },
  ],
  starredBy: ['tomas', 'pavel', 'mara'],
}
