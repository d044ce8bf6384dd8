import { join } from 'node:path'
import { type Caller, caller } from './caller.ts'
import { type Engine, startEngine } from './engines.ts'
import { answering, type Running, startFennec } from './processes.ts'
import { openSeeding, type Seeding } from './seeding.ts'

export const rootToken = 'glpat-bench-token-of-root'

/** How much there is in an instance. */
export type Size = {
  users: number
  groups: number
  projects: number
  members: number
  ofPerson: number
  ofGroup: number
}
/** Ids of users start after those that a new instance has. */
const first = 1_000
/** A person who is a member of many projects. */
export const person = first + 1

/**
 * Fills an instance: users with their namespaces, groups of which nine of ten are private, projects of which one in a hundred
 * is public, members, one group with many members, and one person with many projects.
 */
export async function fillInstance(seeding: Seeding, size: Size): Promise<void> {
  const { numbers, at } = seeding
  const { users, groups, projects, members, ofPerson, ofGroup } = size
  const group = (i: string) => `${first + users} + 1 + (${i}) % ${groups}`
  const times = `${at('i')}, ${at('i')}`
  await seeding.run(`
    insert into users (id, username, name, email, projects_limit, confirmed_at, created_at, updated_at)
      select ${first} + i, 'user' || i, 'Person ' || i || ' of the staff', 'user' || i || '@example.com', 100000, ${at('i')}, ${times}
      from ${numbers(users)};
    insert into namespaces (id, kind, name, path, full_path, full_name, owner_id, visibility, created_at, updated_at)
      select ${first} + i, 'user', 'Person ' || i, 'user' || i, 'user' || i, 'Person ' || i, ${first} + i, 'public', ${times}
      from ${numbers(users)};
    insert into namespaces (id, kind, name, path, full_path, full_name, visibility, created_at, updated_at)
      select ${first + users} + i, 'group', 'Group ' || i, 'group' || i, 'group' || i, 'Group ' || i,
        case when i % 10 = 0 then 'public' else 'private' end, ${times}
      from ${numbers(groups)};
    insert into namespace_ancestors (namespace_id, ancestor_id, depth) select id, id, 0 from namespaces where id > ${first};
    insert into projects (id, namespace_id, name, path, full_path, description, visibility, creator_id, last_activity_at, created_at,
        updated_at)
      select ${first} + i, ${group('i')}, 'Project ' || i, 'project' || i, 'group' || (1 + i % ${groups}) || '/project' || i,
        'Holds the sources of service ' || i,
        case when i % 100 = 0 then 'public' when i % 100 = 1 then 'internal' else 'private' end, ${first} + 1, ${at('i')}, ${times}
      from ${numbers(projects)};
    insert into routes (path_key, namespace_id) select lower(full_path), id from namespaces where id > ${first};
    insert into routes (path_key, project_id) select lower(full_path), id from projects where id > ${first};
    insert into members (project_id, user_id, access_level, created_at)
      select distinct ${first} + 1 + (i % ${projects}), ${first} + 2 + (i % ${users - 2}), 10 + i % 4 * 10, ${at('0')}
      from ${numbers(members)};
    insert into members (project_id, user_id, access_level, created_at)
      select ${first} + i, ${person}, 10 + i % 5 * 10, ${at('0')} from ${numbers(ofPerson)};
    insert into members (namespace_id, user_id, access_level, created_at)
      select ${first + users + 1}, ${first} + 1 + i, 30, ${at('0')} from ${numbers(ofGroup)}`)
  for (const table of ['users', 'namespaces', 'projects', 'members']) await seeding.continueIds(table)
  await seeding.optimize()
}

export type Instance = {
  server: Running
  engine: Engine
  callers: Record<'root' | 'person', Caller>
  stop(): Promise<void>
}

/** Starts and fills an instance. */
export async function startInstance(folder: string, size: Size): Promise<Instance> {
  const engine = await startEngine(folder)
  const server = await startFennec(join(folder, 'data'), rootToken, 'source', {
    FENNEC_DATABASE_URL: engine.databaseUrl,
  })
  await answering(server, '/api/v4/user', rootToken)
  const seeding = await openSeeding(engine.databaseUrl)
  await fillInstance(seeding, size)
  await seeding.close()
  const root = caller(server.url, rootToken)
  const body = { name: 'bench', scopes: ['api'] }
  const made = await root.call({ method: 'POST', path: `/api/v4/users/${person}/impersonation_tokens`, body }, 201)
  const callers = { root, person: caller(server.url, JSON.parse(made).token) }
  const stop = async () => {
    for (const one of Object.values(callers)) one.close()
    await server.stop()
    await engine.stop()
  }
  return { server, engine, callers, stop }
}
