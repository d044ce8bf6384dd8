import type { MergeRequest } from '../../world-types.ts'
import { printed } from './commits.ts'

/** In the order of their time: the third one is !3. */
export const mergeRequests: readonly MergeRequest[] = [
  {
    by: 'ines',
    at: '94d 11:30',
    title: 'Print the departures of a stop by hours',
    text: 'A row for each hour, and the minutes beside it: what people know from paper.\n\nThe page is part of the artifacts of `site`. Closes #2.',
    branch: 'print-by-hours',
    labels: ['type::wish', 'customer'],
    milestone: 'Winter timetable',
    reviewers: ['tomas'],
    assignees: ['ines'],
    commits: [
      { by: 'ines', at: '95d 10:10', message: 'Group departures by hours', files: { 'src/print.ts': printed } },
      {
        by: 'ines',
        at: '94d 11:02',
        message: 'Set the page of hours for A4',
        files: {
          'public/print.css':
            '@page {\n  size: A4;\n  margin: 15mm;\n}\n\nth {\n  font-size: 24pt;\n  text-align: right;\n}\n',
        },
      },
      {
        by: 'ines',
        at: '93d 09:15',
        message: 'Say which day the page is for',
        files: {
          'src/print.ts': [
            [
              '/** The hours of a printed page',
              "/** A line below the title, since paper stays on the wall. */\nexport const validOn = (day: string) => 'Valid on ' + day\n\n/** The hours of a printed page",
            ],
          ],
        },
      },
    ],
    threads: [
      {
        by: 'tomas',
        text: 'What does this show for a boat at 00:15 that still belongs to the evening before?',
        on: { file: 'src/print.ts', line: "leaves.split(':')" },
        resolvedBy: 'ines',
        replies: [
          {
            by: 'ines',
            text: 'Hour 24. Lena told me that their own sheets do the same, so nobody has to learn anything.',
          },
          { by: 'tomas', text: 'Good. Please write that into the test.' },
        ],
      },
      { by: 'yuki', text: 'I printed it and stood two metres away: it can be read. :tada:' },
    ],
    approved: [{ by: 'tomas', at: '92d 13:00' }],
    merged: { by: 'tomas', at: '92d 13:20', keepsBranch: true },
  },
  {
    by: 'yuki',
    at: '72d 10:30',
    title: 'Give each line its own icon',
    text: 'Colours are not enough, so each line has a shape as well.',
    branch: 'icons-of-lines',
    labels: ['accessibility'],
    reviewers: ['ines'],
    commits: [
      {
        by: 'yuki',
        at: '72d 10:05',
        message: 'Draw icons for the lines',
        files: {
          'public/north.svg':
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M4 0 8 8H0z"/></svg>\n',
        },
      },
    ],
    threads: [
      {
        by: 'ines',
        text: 'The shapes are lovely. At 16 pixels I cannot tell north from night, though.',
        replies: [
          { by: 'yuki', text: 'Neither can I. The name of the line is shorter than any icon; let us do that instead.' },
        ],
      },
    ],
    closed: { by: 'yuki', at: '67d 09:30' },
  },
  {
    by: 'tomas',
    at: '62d 15:10',
    title: 'A page for screens at the quay',
    text: 'Large, without anything to touch, and it reads itself again every minute.\n\n- [x] One stop\n- [x] Goes on after a power cut\n- [ ] Two stops beside each other\n\nRelated to #5.',
    branch: 'quay-screen',
    labels: ['type::wish', 'priority::soon'],
    milestone: 'Spring timetable',
    reviewers: ['ines', 'yuki'],
    assignees: ['tomas'],
    commits: [
      {
        by: 'tomas',
        at: '63d 10:20',
        message: 'Show a stop on a screen that nobody touches',
        files: {
          'src/screen.ts':
            "import { stopPage } from './page.ts'\nimport type { Sailing } from './sailing.ts'\n\nconst seconds = 60\n\n/** The page of a stop for a screen: it reads itself again. */\nexport function screenPage(stop: string, sailings: readonly Sailing[]): string {\n  return stopPage(stop, sailings.slice(0, 6)).replace('<title>', '<meta http-equiv=\"refresh\" content=\"' + seconds + '\"><title>')\n}\n",
        },
      },
      {
        by: 'tomas',
        at: '62d 14:48',
        message: 'Serve screens below /screen/',
        files: {
          'src/server.ts': [
            [
              "import { departures } from './sailing.ts'",
              "import { departures } from './sailing.ts'\nimport { screenPage } from './screen.ts'",
            ],
            [
              '  response.end(stopPage(stop, departures(sailings, stop)))',
              "  const show = request.headers['x-screen'] === undefined ? stopPage : screenPage\n  response.end(show(stop, departures(sailings, stop)))",
            ],
          ],
        },
        fails: ['test'],
      },
      {
        by: 'tomas',
        at: '61d 09:30',
        message: 'Find screens by their header',
        files: {
          'test/screen.test.ts': "import { test } from 'node:test'\n\ntest('a screen reads itself again', () => {})\n",
        },
      },
    ],
    threads: [
      {
        by: 'ines',
        text: 'Why sixty? A number needs a reason.\n\n```suggestion:-0+0\nconst seconds = 30\n```',
        on: { file: 'src/screen.ts', line: 'const seconds = 60' },
        applied: { by: 'tomas', line: 'const seconds = 60' },
        replies: [{ by: 'tomas', text: 'Thirty is what the old display had. I take yours.' }],
        resolvedBy: 'tomas',
        after: 40,
      },
    ],
    approved: [
      { by: 'ines', at: '58d 10:00' },
      { by: 'yuki', at: '58d 11:40' },
    ],
    merged: { by: 'tomas', at: '58d 13:10' },
  },
  {
    by: 'noor',
    at: '33d 10:45',
    title: 'Read the zone of a harbour from the service',
    text: 'Two of our stops are an hour away from the others. Closes #9.',
    branch: 'zone-of-harbour',
    labels: ['type::bug', 'priority::now'],
    milestone: 'Spring timetable',
    reviewers: ['tomas'],
    commits: [
      {
        by: 'noor',
        at: '33d 10:15',
        message: 'Tell the time of a harbour by its zone',
        files: {
          'src/time.ts':
            "/** The time of the day in a zone, such as 07:45. */\nexport function timeIn(zone: string, at: Date): string {\n  return at.toLocaleTimeString('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' })\n}\n",
          'test/time.test.ts':
            "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { timeIn } from '../src/time.ts'\n\ntest('a harbour has the time of its zone', () => {\n  assert.equal(timeIn('Atlantic/Faroe', new Date('2026-01-01T07:45:00Z')), '07:45')\n})\n",
        },
      },
    ],
    threads: [
      {
        by: 'tomas',
        text: 'Can this throw for a zone that the machine does not know?',
        on: { file: 'src/time.ts', line: 'toLocaleTimeString' },
        resolvedBy: 'tomas',
        replies: [
          {
            by: 'noor',
            text: 'Yes, a RangeError. The service refuses such zones when they are entered, so here it is a bug if one arrives.',
          },
        ],
      },
    ],
    approved: [{ by: 'tomas', at: '32d 09:00' }],
    merged: { by: 'noor', at: '32d 09:15', squash: true, plays: { by: 'pavel', jobs: ['production'] } },
  },
  {
    by: 'tomas',
    at: '12d 13:50',
    title: 'Say how late a boat is',
    text: 'The service sends `delay` in minutes. A boat that is late by five minutes or more says so.\n\nPart of &3. Closes #14.',
    branch: 'delays',
    labels: ['type::wish', 'priority::soon', 'customer'],
    milestone: 'Spring timetable',
    reviewers: ['ines', 'noor'],
    assignees: ['tomas'],
    commits: [
      {
        by: 'tomas',
        at: '13d 16:05',
        message: 'Know the delay of a sailing',
        files: {
          'src/sailing.ts': [
            [
              '  arrives: string\n',
              '  arrives: string\n  /** In minutes; missing when the boat is on time. */\n  delay?: number\n',
            ],
          ],
        },
      },
      {
        by: 'tomas',
        at: '12d 13:20',
        message: 'Show delays beside the time',
        files: {
          'src/page.ts': [
            [
              "function row({ leaves, to, boat }: Sailing): string {\n  return '<tr><td>' + leaves + '</td>",
              "/** Fewer minutes are no delay: the crossing makes up for them. */\nconst fewest = 5\n\nfunction row({ leaves, to, boat, delay = 0 }: Sailing): string {\n  const late = delay >= fewest ? ' <em>+' + delay + ' min</em>' : ''\n  return '<tr><td>' + leaves + late + '</td>",
            ],
          ],
        },
      },
      {
        by: 'tomas',
        at: '10d 09:45',
        message: 'Test that four minutes are no delay',
        files: {
          'test/page.test.ts':
            "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { stopPage } from '../src/page.ts'\n\ntest('four minutes are no delay', () => {\n  const sailing = { from: 'Oster', to: 'Skarv', boat: 'Lom', leaves: '07:45', arrives: '08:05', delay: 4 }\n  assert.doesNotMatch(stopPage('Oster', [sailing]), /min/)\n})\n",
        },
      },
    ],
    threads: [
      {
        by: 'ines',
        text: 'A screen reader says "plus twelve min". Could this be "12 minutes late" for it?',
        on: { file: 'src/page.ts', line: "' <em>+'" },
        replies: [
          { by: 'tomas', text: 'With a second text that only it reads? I will try.' },
          { by: 'ines', text: 'Yes. `aria-label` on the cell is enough.' },
        ],
      },
      {
        by: 'noor',
        text: 'The service never sends less than 0, but it sends 0. Is that "missing"?',
        on: { file: 'src/sailing.ts', line: 'delay?: number' },
        resolvedBy: 'noor',
        replies: [{ by: 'tomas', text: 'Both are on time. The default in `row` covers it.' }],
      },
      {
        by: 'lena',
        text: 'From the side of the dispatchers: five minutes is exactly what we would say on the radio. Thank you!',
      },
    ],
    approved: [{ by: 'noor', at: '9d 15:30' }],
  },
  {
    by: 'ines',
    at: '7d 10:20',
    title: 'Draft: Announce changes politely',
    text: 'A live region for the next boat. Not done: it says too much when a screen reads itself again.',
    branch: 'live-region',
    labels: ['accessibility'],
    reviewers: [],
    assignees: ['ines'],
    commits: [
      {
        by: 'ines',
        at: '7d 10:02',
        message: 'Announce the next boat when it changes',
        files: { 'src/page.ts': [["'</title><h1>'", '\'</title><h1 role="status">\'']] },
      },
    ],
    threads: [{ by: 'yuki', text: 'Could it be silent on screens? Nobody listens to those.' }],
  },
  {
    by: 'yuki',
    at: '6d 14:30',
    title: 'Name the harbour zone on every page',
    text: 'A small line below the table. See #12.',
    branch: 'zone-on-pages',
    labels: ['type::wish'],
    reviewers: ['tomas'],
    commits: [
      {
        by: 'yuki',
        at: '6d 14:05',
        message: 'Say whose clock it is, in the README first',
        files: { 'README.md': [['## Start', 'All times are local to the harbour.\n\n## Start']] },
      },
    ],
    threads: [
      {
        by: 'tomas',
        text: 'I wrote nearly the same sentence on `main` meanwhile, sorry. Could you take mine and keep your line below the table?',
        after: 60,
      },
    ],
  },
  {
    by: 'lena',
    at: '3d 09:40',
    title: 'Add the stop Little Skarv',
    text: 'It is served from the first day of the spring timetable. I hope that I did this right: it is my first merge request!',
    branch: 'little-skarv',
    labels: ['customer', 'good first issue'],
    milestone: 'Spring timetable',
    reviewers: ['ines'],
    commits: [
      {
        by: 'ines',
        at: '3d 09:20',
        message: 'Add the stop Little Skarv\n\nFrom a list that Lena has sent.',
        files: {
          'fixtures/today.json': [
            [
              '"leaves": "07:45", "arrives": "08:05" },',
              '"leaves": "07:45", "arrives": "08:05" },\n  { "from": "Skarv", "to": "Little Skarv", "boat": "Lom", "leaves": "08:15", "arrives": "08:25" },',
            ],
          ],
        },
      },
    ],
    threads: [{ by: 'ines', text: 'You did. :tada: I only wait for the times of the way back.' }],
    approved: [{ by: 'ines', at: '2d 10:05' }],
  },
]
