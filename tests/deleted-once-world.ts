/** What the makers of things to delete share: a server, a group, a project with a commit, and names that nothing else has. */
import { randomBytes } from 'node:crypto'
import type { Answer, Client, Person, TestServer } from '../src/testing/index.ts'

/** How a thing that was made is deleted. */
export type Deletion = {
  /** The path with the query. */
  path: string
  /** Who deletes it; default root. */
  as?: Client
  body?: object
  /** Whether the process itself lets callers in one after another, so that the database sees one of them. */
  inTurn?: boolean
}

/** Makes one thing that an operation can delete. @returns its path, or all about its deletion */
export type Maker = (world: World) => Promise<string | Deletion>

export type World = {
  server: TestServer
  /** An administrator. */
  root: Client
  group: { id: number }
  project: { id: number; full_path: string }
  /** The paths of the group and of the project. */
  inGroup: string
  inProject: string
  /** A name that nothing else has. */
  name(): string
  /** Another user. */
  user(): Promise<Person>
  /** Sends `POST` as root. @returns the body */
  post(path: string, body?: unknown): Promise<Answer['body']>
  /** A new project with a commit on `main`. */
  newProject(): Promise<Answer['body']>
  newGroup(): Promise<Answer['body']>
}

/** The body of an answer. @throws Error when the request failed */
export function made({ status, body }: Answer): Answer['body'] {
  if (status >= 300) throw new Error(`not made: ${status} ${JSON.stringify(body)}`)
  return body
}

/** Makes something by `POST` at a path, which is deleted below the same path. @param key the member that the path ends with */
export const posted =
  (pathOf: (world: World) => string, given: (name: string) => object, key = 'id'): Maker =>
  async (world) => {
    const path = pathOf(world)
    const body = await world.post(path, given(world.name()))
    return `${path}/${encodeURIComponent(body[key])}`
  }

/** The text of a new SSH key. */
export function newSshKey(): string {
  const part = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes])
  const type = 'ssh-ed25519'
  return `${type} ${Buffer.concat([part(Buffer.from(type)), part(randomBytes(32))]).toString('base64')}`
}

export async function makeWorld(server: TestServer): Promise<World> {
  const { root } = server
  let count = 0
  const name = () => {
    count += 1
    return `thing${count}`
  }
  const post = async (path: string, body?: unknown) => made(await root.post(path, body))
  const newGroup = () => {
    const path = name()
    return post('/groups', { name: path, path })
  }
  const group = await newGroup()
  const newProject = () => {
    const path = name()
    return post('/projects', { name: path, namespace_id: group.id, initialize_with_readme: true })
  }
  const project = await newProject()
  return {
    ...{ server, root, group, name, post, newGroup, newProject },
    project: { id: project.id, full_path: project.path_with_namespace },
    inGroup: `/groups/${group.id}`,
    inProject: `/projects/${project.id}`,
    user: () => server.user(name()),
  }
}
