import { imported, importStream, type Person, type TestServer } from '../../testing/index.ts'

/** Seven lines; the fourth is removed, and one is added at the end, by the second commit. */
const before = ['one', 'two', 'three', 'four', 'five', 'six', 'seven']
const after = [...before.filter((line) => line !== 'four'), 'eight']
const asText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')

/** A project with two commits, the second of which changes `a.txt` and moves a file; the second is the head of `main`. */
export async function talkedAbout(
  server: TestServer,
  owner: Person,
  path: string,
  visibility: 'private' | 'public' = 'private',
) {
  const stream = importStream([
    {
      message: 'first',
      files: [
        ['100644', 'a.txt', asText(before)],
        ['100644', 'moved-from.txt', asText([...before, ...before])],
      ],
    },
    { message: 'second', files: [['100644', 'a.txt', asText(after)]] },
  ])
  const moved = Buffer.concat([stream, Buffer.from('R moved-from.txt moved-to.txt\n')])
  const lines = asText([...before, 'added', ...before])
  const change = Buffer.from(`M 100644 inline moved-to.txt\ndata ${lines.length}\n${lines}\n`)
  const project = await imported(server, owner, path, Buffer.concat([moved, change]), { visibility })
  const { body } = await owner.get(`/projects/${project.id}/repository/commits`)
  const [second, first] = body.map(({ id }: { id: string }) => id) as string[]
  if (!first || !second) throw new Error('the history is missing')
  const commits = `/projects/${project.id}/repository/commits`
  return { project, first, second, at: `${commits}/${second}`, commits }
}
