import { type Client, makePeople, type People, projectWithMembers, type TestServer } from '../../testing/index.ts'
import { makeLabel } from '../labels/testing.ts'

/** A group with a project, in both of which people have roles, and labels of each. */
export type BoardPlace = People & {
  group: { id: number; full_path: string; name: string }
  project: { id: number }
  /** Addresses of the project and of the group. */
  at: Readonly<Record<'project' | 'group', string>>
}

/** Makes the place. @param name its group has it as path */
export async function boardPlace(server: TestServer, name: string): Promise<BoardPlace> {
  const people = await makePeople(server)
  const namespace = await server.make.group(name, people.owner)
  const { maintainer, developer, reporter, guest } = people
  for (const [person, level] of [
    [maintainer, 40],
    [developer, 30],
    [reporter, 20],
    [guest, 10],
  ] as const) {
    await server.make.member({ namespace }, person, level)
  }
  const { project } = await projectWithMembers(server, { people, path: 'planned', namespace })
  return {
    ...people,
    group: namespace,
    project,
    at: { project: `/projects/${project.id}`, group: `/groups/${namespace.id}` },
  }
}

/** A board with lists for labels of the group. @returns its address and the lists, by position */
export async function boardWithLists(
  server: TestServer,
  client: Client,
  place: { base: string; group: { id: number } },
  titles: readonly string[],
) {
  const { body: board } = await client.post(`${place.base}/boards`, { name: 'b' })
  const path = `${place.base}/boards/${board.id}`
  const lists: { id: number; label: { id: number } }[] = []
  for (const title of titles) {
    const { id } = await makeLabel(server, { group: place.group }, title)
    lists.push((await client.post(`${path}/lists`, { label_id: id })).body)
  }
  return { path, lists }
}
