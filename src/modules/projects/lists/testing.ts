import { type Client, type Person, startTestServer, type TestServer } from '../../../testing/index.ts'
import { type HandsOn, handsOn } from '../testing.ts'

/** A server with some projects, and users who can see more or less of them. */
type ListedProjects = {
  server: TestServer
  hands: HandsOn
  alice: Person
  bob: Person
  /** A user without any role. */
  eve: Person
}

/** Names of all those projects, in order. */
export const allNames = ['hidden', 'in-sub', 'in-top', 'inside', 'open']

/**
 * Alice: a private, an internal and a public project; a group `top` with `top/sub`, a project in each; Bob is developer
 * of `top/sub` and, through the group `friends`, reporter of Alice's private project.
 */
export async function listedProjects(): Promise<ListedProjects> {
  const server = await startTestServer()
  const { make } = server
  const [alice, bob, eve] = [await server.user('alice'), await server.user('bob'), await server.user('eve')]
  const hidden = await make.project('hidden', alice)
  await make.project('inside', alice, { visibility: 'internal' })
  await make.project('open', alice, { visibility: 'public' })
  const top = await make.group('top', alice)
  const sub = await make.group('sub', alice, { parent: top })
  await make.project('in-top', alice, { namespace: top })
  await make.project('in-sub', alice, { namespace: sub })
  await make.member({ namespace: sub }, bob, 30)
  const friends = await make.group('friends', bob)
  const link = { group_id: friends.id, project_id: hidden.id, access_level: 20, created_at: hidden.created_at }
  await server.app.platform.database.write((tx) => tx.insertInto('group_links').values(link).execute())
  return { server, hands: handsOn(server), alice, bob, eve }
}

/** Names of the projects in an answer, in its order. */
export async function namesOf(client: Client, path: string): Promise<string[]> {
  const { status, body } = await client.get(path)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body.map(({ name }: { name: string }) => name)
}

/** The same in alphabetical order. */
export const sortedNamesOf = async (client: Client, path: string) => (await namesOf(client, path)).sort()
