import type { Branch, Commit } from '../../world-types.ts'
import { fixtures, manifest, page, pipeline, print, readme, sailing, server, source, style, test } from './files.ts'

/** The commits on `main` that belong to no merge request, oldest first. */
export const commits: readonly Commit[] = [
  {
    by: 'tomas',
    at: '118d 09:12',
    message: 'Say what this is for',
    files: { 'README.md': readme, 'package.json': manifest, LICENSE: 'MIT License\n\nCopyright Slipway\n' },
  },
  {
    by: 'tomas',
    at: '118d 13:40',
    message:
      'Find the departures of a stop\n\nTimes are compared as texts: both have two digits for hours and minutes.',
    files: { 'src/sailing.ts': sailing, 'test/sailing.test.ts': test },
  },
  {
    by: 'tomas',
    at: '117d 10:05',
    message: 'Show the departures of a stop as a table',
    files: { 'src/page.ts': page, 'src/server.ts': server, 'src/source.ts': source, 'fixtures/today.json': fixtures },
  },
  {
    by: 'ines',
    at: '115d 14:22',
    message: 'Set the type large enough for a quay',
    files: { 'public/style.css': style },
  },
  {
    by: 'ines',
    at: '114d 09:50',
    message: 'Give the table a caption and headers\n\nA screen reader says "leaves 07:45" instead of "07:45".',
    files: {
      'src/page.ts': [
        [
          "'</title><table>' + rows",
          "'</title><table><caption>Departures from ' + escaped(stop) + '</caption><thead><tr><th>Leaves</th><th>To</th><th>Boat</th></tr></thead>' + rows",
        ],
      ],
    },
  },
  {
    by: 'tomas',
    at: '112d 16:30',
    message: 'Refuse paths that are no stop',
    files: {
      'src/server.ts': [
        [
          "  response.setHeader('Content-Type'",
          "  if (!sailings.some(({ from }) => from === stop)) {\n    response.statusCode = 404\n    response.end('There is no such stop.')\n    return\n  }\n  response.setHeader('Content-Type'",
        ],
      ],
    },
  },
  {
    by: 'tomas',
    at: '109d 11:15',
    message: 'Run the tests for every push',
    files: {
      '.gitlab-ci.yml': pipeline,
      'deploy.sh': '#!/bin/sh\nset -eu\nrsync --archive public/ "deploy@$1.example.com:/srv/timetable/"\n',
    },
  },
  {
    by: 'ines',
    at: '108d 10:40',
    message: 'Check the pages with axe',
    files: {
      'package.json': [
        ['"test": "node --test"', '"test": "node --test",\n    "check:accessibility": "node scripts/axe.ts"'],
      ],
      'scripts/axe.ts':
        "import { stopPage } from '../src/page.ts'\n\n// Fails for every violation that axe calls serious.\nconsole.log(stopPage('Halmhavn', []).length)\n",
    },
    fails: ['accessibility'],
  },
  {
    by: 'ines',
    at: '108d 13:05',
    message: 'Say in which language the page is\n\naxe was right: without it, the German voice read Danish names.',
    files: { 'src/page.ts': [["'<!doctype html><title>'", '\'<!doctype html><html lang="en"><title>\'']] },
  },
  {
    by: 'tomas',
    at: '97d 09:30',
    message: 'Release 0.2.0',
    files: {
      'package.json': [['"version": "0.1.0"', '"version": "0.2.0"']],
      'CHANGELOG.md': '# Changelog\n\n## 0.2.0\n\n- A page for each stop\n- Captions and headers for screen readers\n',
    },
  },
  {
    by: 'noor',
    at: '89d 15:48',
    message: 'Read sailings from the service\n\nFixtures are used where SAILINGS_URL is not set.',
    files: {
      'src/source.ts': [
        [
          "  return JSON.parse(await readFile('fixtures/today.json', 'utf8'))",
          "  const url = process.env.SAILINGS_URL\n  if (url === undefined) return JSON.parse(await readFile('fixtures/today.json', 'utf8'))\n  const answer = await fetch(url + '/v1/sailings')\n  return (await answer.json()) as Sailing[]",
        ],
      ],
    },
  },
  {
    by: 'noor',
    at: '88d 08:55',
    message: 'Wait for the service for two seconds at most',
    files: {
      'src/source.ts': [
        ["fetch(url + '/v1/sailings')", "fetch(url + '/v1/sailings', { signal: AbortSignal.timeout(2000) })"],
      ],
    },
    fails: ['test'],
  },
  {
    by: 'noor',
    at: '88d 09:40',
    message: 'Close the server at the end of the tests',
    files: {
      'test/sailing.test.ts': [
        [
          "test('there is no next boat",
          "// Nothing listens here: the pages are functions.\ntest('there is no next boat",
        ],
      ],
    },
  },
  {
    by: 'yuki',
    at: '80d 11:20',
    message: 'Let the boats of a line have its colour',
    files: {
      'public/style.css': [
        [
          'td {\n',
          '[data-line="north"] {\n  color: #0b5394;\n}\n\n[data-line="island"] {\n  color: #38761d;\n}\n\ntd {\n',
        ],
      ],
    },
  },
  {
    by: 'ines',
    at: '66d 14:12',
    message: 'Do not say colours alone\n\nThe name of the line stands beside them.',
    files: {
      'public/style.css': [
        [
          '[data-line="north"] {\n  color: #0b5394;',
          '[data-line]::after {\n  content: attr(data-line);\n}\n\n[data-line="north"] {\n  color: #0b5394;',
        ],
      ],
    },
  },
  {
    by: 'tomas',
    at: '57d 10:00',
    message: 'Release 0.3.0',
    files: {
      'package.json': [['"version": "0.2.0"', '"version": "0.3.0"']],
      'CHANGELOG.md': [['## 0.2.0', '## 0.3.0\n\n- Timetables on paper\n- Colours of lines\n\n## 0.2.0']],
    },
  },
  {
    by: 'tomas',
    at: '41d 09:25',
    message: 'Keep the pages of a stop for ten seconds\n\nA hundred phones on one quay ask for the same page.',
    files: {
      'src/server.ts': [
        [
          "  response.setHeader('Content-Type'",
          "  response.setHeader('Cache-Control', 'public, max-age=10')\n  response.setHeader('Content-Type'",
        ],
      ],
    },
  },
  {
    by: 'pavel',
    at: '36d 16:45',
    message: 'Copy files in place only when all have arrived',
    files: {
      'deploy.sh': [['rsync --archive public/', 'rsync --archive --delay-updates --delete-after public/']],
    },
  },
  {
    by: 'ines',
    at: '27d 10:18',
    message: 'Show the next boat above the table',
    files: {
      'src/page.ts': [
        ["import type { Sailing } from './sailing.ts'", "import { nextAfter, type Sailing } from './sailing.ts'"],
        [
          'export function stopPage(stop: string, sailings: readonly Sailing[]): string {\n',
          "export function stopPage(stop: string, sailings: readonly Sailing[], time = '00:00'): string {\n  const next = nextAfter(sailings, time)\n  const headline = next ? 'Next boat: ' + next.leaves + ' to ' + escaped(next.to) : 'The last boat has left.'\n",
        ],
        ["'</title><table>", "'</title><h1>' + headline + '</h1><table>"],
      ],
    },
  },
  {
    by: 'tomas',
    at: '17d 09:05',
    message: 'Release 0.4.0',
    files: {
      'package.json': [['"version": "0.3.0"', '"version": "0.4.0"']],
      'CHANGELOG.md': [
        ['## 0.3.0', '## 0.4.0\n\n- The next boat stands above the table\n- Screens at the quay\n\n## 0.3.0'],
      ],
    },
  },
  {
    by: 'tomas',
    at: '4d 11:10',
    message: 'Name the zone of the harbour in the README',
    files: {
      'README.md': [
        ['## Start', 'Times are those of the clock at the harbour, never those of the telephone.\n\n## Start'],
      ],
    },
  },
]

/** Branches without a merge request; the second one was given up. */
export const branches: readonly Branch[] = [
  {
    name: 'try/offline',
    commits: [
      {
        by: 'tomas',
        at: '30d 17:20',
        message: 'Keep the last timetable for when there is no network',
        files: {
          'public/worker.js': "self.addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))\n",
        },
      },
    ],
  },
  {
    name: 'yuki/night-mode',
    commits: [
      {
        by: 'yuki',
        at: '102d 15:00',
        message: 'Try dark pages for boats at night',
        files: { 'public/style.css': [['body {\n', 'body {\n  background: #10202f;\n  color: #e8eef3;\n']] },
      },
    ],
  },
]

/** The printed page, which merge request !1 brings. */
export const printed = print
