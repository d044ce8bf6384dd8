import { added as add, type Pushed } from '../../world-types.ts'

/** The second month: whole timetables. */
export const importing: readonly Pushed[] = [
  [
    '96d 9:00',
    'ines',
    'Read a sheet of sailings',
    {
      'src/sheet.ts':
        "/** The rows of a sheet that was saved as text, with semicolons. */\nexport const rowsOf = (text: string): string[][] =>\n  text.split('\\n').filter((line) => line.trim() !== '').map((line) => line.split(';'))\n",
    },
  ],
  ['96d 11:10', 'ines', 'Take tabs as well', { 'src/sheet.ts': [["line.split(';')", 'line.split(/[;\\t]/)']] }],
  [
    '95d 9:40',
    'ines',
    'Drop the mark at the beginning of files (#7)',
    { 'src/sheet.ts': [['text.split(', "text.replace(/^\\uFEFF/, '').split("]] },
  ],
  [
    '95d 14:25',
    'ines',
    'Test sheets that customers have sent',
    {
      'test/sheet.test.ts':
        "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { rowsOf } from '../src/sheet.ts'\n\ntest('reads the sheet of Skerry Line', () => {\n  assert.deepEqual(rowsOf('\\uFEFFTern;Skarv;7:45\\n'), [['Tern', 'Skarv', '7:45']])\n})\n",
    },
  ],
  [
    '93d 10:05',
    'ines',
    'Say in which row a mistake is',
    {
      'src/sheet.ts': add(
        "\n/** Where a reader finds it: sheets count from 1. */\nexport const placeOf = (row: number, column: number) => `${'ABCDEFGH'[column]}${row + 1}`\n",
      ),
    },
  ],
  [
    '92d 9:15',
    'ines',
    'Show what an import changes before it is saved',
    {
      'src/preview.ts':
        "export type Difference = { kind: 'new' | 'moved' | 'gone'; boat: string; stop: string; time: string }\n\nexport const summaryOf = (differences: readonly Difference[]) =>\n  `${differences.filter(({ kind }) => kind === 'new').length} new, ${differences.filter(({ kind }) => kind === 'gone').length} gone`\n",
    },
  ],
  [
    '92d 16:30',
    'ines',
    'Count moved sailings too',
    {
      'src/preview.ts': [
        [
          'new, ${differences',
          "new, ${differences.filter(({ kind }) => kind === 'moved').length} moved, ${differences",
        ],
      ],
    },
  ],
  [
    '90d 10:50',
    'tomas',
    'Limit sheets to one megabyte',
    { 'src/limits.ts': 'export const largestSheet = 1_000_000\n' },
  ],
  [
    '90d 11:35',
    'tomas',
    'Explain the limit where it is met',
    { 'src/limits.ts': add("export const tooLarge = 'This sheet is larger than 1 MB. Does it have pictures?'\n") },
  ],
  [
    '88d 9:25',
    'ines',
    'Undo the last import',
    {
      'src/undo.ts':
        '/** The states before the last changes; the newest is last. */\nexport function undoOf<State>(most = 20) {\n  const states: State[] = []\n  return {\n    remember(state: State) {\n      states.push(state)\n      if (states.length > most) states.shift()\n    },\n    back: () => states.pop(),\n  }\n}\n',
    },
  ],
  [
    '88d 13:20',
    'ines',
    'Test that undo forgets old states',
    {
      'test/undo.test.ts':
        "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { undoOf } from '../src/undo.ts'\n\ntest('keeps the newest states', () => {\n  const undo = undoOf<number>(2)\n  for (const state of [1, 2, 3]) undo.remember(state)\n  assert.deepEqual([undo.back(), undo.back(), undo.back()], [3, 2, undefined])\n})\n",
    },
  ],
  ['87d 10:40', 'ines', 'Undo with Ctrl Z', { 'docs/keys.md': add('| Ctrl Z | takes the last change back |\n') }],
  [
    '84d 9:50',
    'yuki',
    'Mark new rows with more than a colour (#9)',
    {
      'src/style.css': add(
        'tr.new td:first-child::before { content: "+ " }\ntr.gone td { text-decoration: line-through }\n',
      ),
    },
  ],
  [
    '84d 12:05',
    'yuki',
    'Keep the head of the table in sight',
    { 'src/style.css': add('thead { position: sticky; inset-block-start: 0; background: canvas }\n') },
  ],
  [
    '82d 15:15',
    'ines',
    'Write down how a timetable is imported',
    { 'docs/import.md': '# Import\n\n1. Save the sheet as text.\n2. Choose it.\n3. Look at what changes.\n4. Save.\n' },
  ],
  [
    '79d 9:35',
    'ines',
    'Find stops while they are typed',
    {
      'src/stops.ts':
        'export const stopsLike = (stops: readonly string[], typed: string) =>\n  stops.filter((stop) => stop.toLowerCase().startsWith(typed.toLowerCase()))\n',
    },
  ],
  [
    '79d 11:45',
    'ines',
    'Find them by letters inside the name as well',
    { 'src/stops.ts': [['startsWith(', 'includes(']] },
  ],
  [
    '78d 10:30',
    'ines',
    'Put stops that begin so first (#11)',
    {
      'src/stops.ts': add(
        '\nexport const ranked = (found: readonly string[], typed: string) =>\n  found.toSorted((a, b) => Number(b.startsWith(typed)) - Number(a.startsWith(typed)))\n',
      ),
    },
  ],
  [
    '76d 14:00',
    'tomas',
    'Log who has saved what',
    {
      'src/journal.ts':
        'export const lineOf = (who: string, what: string, at: Date) => `${at.toISOString()} ${who} ${what}\\n`\n',
    },
  ],
]
