import { randomBytes } from 'node:crypto'
import { manualClock } from '../../../infra/clock/index.ts'
import { importStream } from '../../../testing/index.ts'
import { elsewhere, startWithReaders } from '../testing.ts'

export const binary = Buffer.from([0x89, 0x50, 0, 0xff, 0xfe, 10])
export const large = randomBytes(11 * 1024 * 1024 + 1)

/** Starts a server with a project of all kinds of files in three commits, two branches and two tags. */
export async function startWithFiles() {
  const clock = manualClock({ start: '2026-03-04T05:06:07.000Z' })
  const stream = importStream([
    {
      message: 'first\n',
      files: [
        ['100644', 'README.md', '# Hello\nworld\n'],
        ['100755', 'bin/run.sh', '#!/bin/sh\n'],
        ['100644', 'lib/a b/ü"\'.txt', 'ü\n'],
        ['100644', '"lib/li\\nne"', 'newline\n'],
        ['100644', '"lib/\\377\\376"', 'not UTF-8\n'],
        ['100644', 'page.html', '<script>alert(1)</script>'],
        ['100644', 'picture.png', binary],
        ['100644', 'empty', ''],
        ['100644', 'with.git/dot', 'dot\n'],
        ['120000', 'link', '../../../etc/passwd'],
        ['120000', 'loop', 'loop'],
        ['160000', 'module', elsewhere],
        ['100644', 'large.bin', large],
      ],
    },
    { message: 'second\n', files: [['100644', 'README.md', '# Hello\nthere\nworld\n']] },
    { message: 'on a branch\n', files: [['100644', 'README.md', 'branch\n']], branch: 'feature/x' },
  ])
  const refs = ['main~1:refs/tags/v1', 'main~1:refs/tags/twin']
  const started = await startWithReaders('files', stream, { refs, clock })
  const { owner, project } = started
  await owner.post(`/projects/${project.id}/repository/branches`, { branch: 'twin', ref: 'main' })
  const { body } = await owner.get(`/projects/${project.id}/repository/commits`)
  const base = `/projects/${project.id}/repository/files`
  return {
    ...started,
    ...{ base, clock },
    /** Commits of `main`, newest first. */
    commits: body.map(({ id }: { id: string }) => id) as string[],
    at: (path: string, rest = '?ref=main') => `${base}/${encodeURIComponent(path)}${rest}`,
  }
}
