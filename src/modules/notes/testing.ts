import { manualClock } from '../../infra/clock/index.ts'
import { imported, importStream, type Person, startTestServer, type TestServer } from '../../testing/index.ts'

/** Seven lines; the second commit removes the fourth and adds one at the end. */
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

const levels = { maintainer: 40, developer: 30, reporter: 20, guest: 10 } as const

/** Starts a server with a manual clock, a private project with commits, and users with each role in it. */
export async function startTalk() {
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  const server = await startTestServer({ clock })
  const people = {
    owner: await server.user('owner'),
    maintainer: await server.user('maintainer'),
    developer: await server.user('developer'),
    reporter: await server.user('reporter'),
    guest: await server.user('guest'),
    outsider: await server.user('outsider'),
  }
  const demo = await talkedAbout(server, people.owner, 'demo')
  for (const [role, level] of Object.entries(levels)) {
    await server.make.member({ project: demo.project }, people[role as keyof typeof levels], level)
  }
  return { server, clock, ...people, demo }
}

export type Talk = Awaited<ReturnType<typeof startTalk>>
