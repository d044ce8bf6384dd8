import { afterAll, beforeAll } from 'vitest'
import {
  type Answer,
  type Client,
  makePeople,
  type People,
  projectWithMembers,
  startTestServer,
  type TestServer,
} from '../../testing/index.ts'
import type { Visibility } from '../namespaces/index.ts'
import { uploadsPrefix } from './owner.ts'

export let server: TestServer
export let people: People

/** Starts a server with people before the tests of a file, and stops it after them. */
export function serveUploadsForTests(options?: Parameters<typeof startTestServer>[0]): void {
  beforeAll(async () => {
    server = await startTestServer(options)
    people = await makePeople(server)
  })
  afterAll(() => server.stop())
}

type Content = string | Uint8Array<ArrayBuffer>

/** A multipart body with one file. */
export function fileForm(name: string, content: Content = 'content', field = 'file'): FormData {
  const data = new FormData()
  data.append(field, new Blob([content]), name)
  return data
}

/** Uploads a file. @param place such as `/projects/1` */
export function upload(client: Client, place: string, name: string, content?: Content): Promise<Answer> {
  return client.post(`${place}/uploads`, fileForm(name, content))
}

/** The secret in the answer to an upload. */
export const secretOf = ({ body }: Answer) => (body.url as string).split('/')[2] as string

let count = 0

/** A new project or group with a member of every role, and where the API has it. */
export async function newOwner(kind: 'project' | 'group', visibility: Visibility = 'private') {
  count += 1
  const path = `${kind}-${count}`
  if (kind === 'project') {
    const { project } = await projectWithMembers(server, { people, path, visibility })
    return {
      id: project.id,
      path: project.full_path,
      place: `/projects/${project.id}`,
      web: `/-/project/${project.id}`,
    }
  }
  const namespace = await server.make.group(path, people.owner, { visibility })
  const levels = { maintainer: 40, developer: 30, reporter: 20, guest: 10 } as const
  for (const [name, level] of Object.entries(levels)) {
    await server.make.member({ namespace }, people[name as keyof typeof levels], level)
  }
  return { id: namespace.id, path, place: `/groups/${namespace.id}`, web: `/-/group/${namespace.id}` }
}

/** The keys of all stored uploads. */
export async function storedKeys(): Promise<string[]> {
  return (await Array.fromAsync(server.app.platform.objects.list(uploadsPrefix))).map(({ key }) => key)
}
