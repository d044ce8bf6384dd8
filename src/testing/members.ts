import type { NamespaceRow, Visibility } from '../modules/namespaces/index.ts'
import type { ProjectRow } from '../modules/projects/index.ts'
import { makePeople, type People } from './people.ts'
import type { TestServer } from './server.ts'

/** A project with a member of every role. */
export type ProjectWithMembers = People & {
  project: ProjectRow
  /** Its full path. */
  path: string
}

export type ProjectPlace = { people?: People; path?: string; namespace?: NamespaceRow; visibility?: Visibility }

/** Makes people members of a project that the owner has, each in their role. */
export async function addMembers(
  server: TestServer,
  project: ProjectRow,
  { maintainer, developer, reporter, guest }: People,
): Promise<void> {
  for (const [person, level] of [
    [maintainer, 40],
    [developer, 30],
    [reporter, 20],
    [guest, 10],
  ] as const) {
    await server.make.member({ project }, person, level)
  }
}

/** Makes a project, in `namespace` or else the owner's own; with new people unless `people` are given. */
export async function projectWithMembers(server: TestServer, place: ProjectPlace = {}): Promise<ProjectWithMembers> {
  const people = place.people ?? (await makePeople(server))
  const { owner } = people
  const project = await server.make.project(place.path ?? `project-of-${owner.username}`, owner, place)
  if (place.namespace) await server.make.member({ project }, owner, 50)
  await addMembers(server, project, people)
  return { ...people, project, path: project.full_path }
}
