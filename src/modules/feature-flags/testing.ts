import { type People, projectWithMembers, type TestServer } from '../../testing/index.ts'

let made = 0

/** A new project of these people with the addresses of its flags. */
export async function projectWithFlags(server: TestServer, people: People) {
  made += 1
  const place = await projectWithMembers(server, { people, path: `flags-${made}` })
  const base = `/projects/${place.project.id}`
  const [flags, lists] = [`${base}/feature_flags`, `${base}/feature_flags_user_lists`]

  async function created(path: string, body: object) {
    const answer = await people.developer.post(path, body)
    if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  return {
    ...place,
    base,
    flags,
    lists,
    client: `${base}/feature_flags_client`,
    /** Creates a flag, as a developer. */
    flag: (name: string, strategies: object[] = [], more: object = {}) => created(flags, { name, strategies, ...more }),
    /** Creates a list of users, as a developer. */
    list: (name: string, user_xids: string) => created(lists, { name, user_xids }),
  }
}

export type ProjectWithFlags = Awaited<ReturnType<typeof projectWithFlags>>

export const everyone = (...scopes: string[]) => ({
  name: 'default',
  parameters: {},
  scopes: scopes.map((environment_scope) => ({ environment_scope })),
})
