import type { Act } from '../world-types.ts'

/** What administrators have said and switched. */
export const announcements: readonly Act[] = [
  {
    by: 'root',
    at: '119d 08:00',
    to: 'topics',
    body: { name: 'ferries', title: 'Ferries', description: 'Everything that goes back and forth over water' },
  },
  { by: 'root', at: '60d 07:00', to: 'features/compact_timetable', body: { value: 'true', force: true } },
  { by: 'root', at: '30d 07:00', to: 'features/live_positions', body: { value: '25', force: true } },
  {
    by: 'root',
    at: '1d 16:00',
    to: 'broadcast_messages',
    body: {
      message:
        'This is a **demo**: Slipway, its people and its ferries are made up. Sign in as anybody, and change what you like.',
      theme: 'light-blue',
      dismissable: true,
      ends_at: '{day+365}T00:00:00Z',
    },
  },
  {
    by: 'noor',
    at: '75d 19:20',
    to: 'snippets',
    body: {
      title: 'The next Monday, in three lines of shell',
      description: 'For the name of a timetable that begins with the week.',
      visibility: 'public',
      files: [
        {
          file_path: 'next-monday.sh',
          content:
            '#!/bin/sh\nset -eu\n# The first Monday after today, as 2026-03-02.\ndate --utc --date "next monday" +%F\n',
        },
      ],
    },
  },
  {
    by: 'yuki',
    at: '52d 15:05',
    to: 'snippets',
    body: {
      title: 'Colours of the lines',
      description: 'Each pair has a contrast of 4.5 or more, on white and on the dark blue of the night mode.',
      visibility: 'internal',
      files: [
        {
          file_path: 'lines.css',
          content:
            ':root {\n  --line-north: #0b5394;\n  --line-island: #38761d;\n  --line-night: #674ea7;\n  --line-cargo: #7f6000;\n}\n',
        },
        { file_path: 'README.md', content: '# Colours of the lines\n\nTake the name of the line, never the colour.\n' },
      ],
    },
  },
]
