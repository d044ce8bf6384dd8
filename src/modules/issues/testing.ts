import type { Client } from '../../testing/index.ts'

/** The address of a project's issues. */
export const issuesOf = ({ id }: { id: number }) => `/projects/${id}/issues`

/** Creates an issue over HTTP. @throws Error when it is refused */
export async function createdIssue(client: Client, project: { id: number }, attributes: Record<string, unknown> = {}) {
  const { status, body } = await client.post(issuesOf(project), { title: 'An issue', ...attributes })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

/** The iids of the issues at an address, in their order. */
export async function iidsAt(client: Client, path: string): Promise<number[]> {
  const { status, body } = await client.get(path)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.map(({ iid }: { iid: number }) => iid)
}
