import { sql } from 'kysely'
import type { Dialect } from '../infra/database/index.ts'
import { forEachRow, type Trigger } from './triggers.ts'

/** Records all users who have no project. */
export const recordWithoutProjects = `insert into users_perhaps_without_projects (user_id)
  select u.id from users u
  where not exists (select 1 from members m where m.user_id = u.id and m.project_id is not null)
    and not exists (select 1 from namespaces n join projects p on p.namespace_id = n.id where n.owner_id = u.id)`

const of = (rows: string) => `insert into users_perhaps_without_projects (user_id) ${rows}`
const ownerBefore = of(`select n.owner_id from namespaces n where n.id = old.namespace_id and n.owner_id is not null`)

/** What may take the last project from a user, and who has none yet. */
const events: readonly Omit<Trigger, 'name'>[] = [
  { event: 'after insert', table: 'users', statement: of('select new.id') },
  {
    event: 'after delete',
    table: 'members',
    isMet: 'old.project_id is not null',
    statement: of('select old.user_id'),
  },
  {
    event: 'after update of project_id, user_id',
    table: 'members',
    isMet: `old.project_id is not null
      and (new.project_id is distinct from old.project_id or new.user_id is distinct from old.user_id)`,
    statement: of('select old.user_id'),
  },
  { event: 'after delete', table: 'projects', statement: ownerBefore },
  {
    event: 'after update of namespace_id',
    table: 'projects',
    isMet: 'new.namespace_id is distinct from old.namespace_id',
    statement: ownerBefore,
  },
  {
    event: 'after delete',
    table: 'namespaces',
    isMet: 'old.owner_id is not null',
    statement: of('select old.owner_id'),
  },
  {
    event: 'after update of owner_id',
    table: 'namespaces',
    isMet: 'old.owner_id is not null and new.owner_id is distinct from old.owner_id',
    statement: of('select old.owner_id'),
  },
]

/**
 * The users who may have no project, in rows that triggers append: all who have none, and others whom a job removes. So the list of them
 * compares these alone, and no writer waits for another (contract 20, x.users_list `without_projects`). The user is no foreign key: a row
 * is appended while the user is deleted.
 */
export function up(dialect: Dialect) {
  return [
    sql`create table users_perhaps_without_projects (id ${dialect.id}, user_id bigint not null)`,
    sql.raw(recordWithoutProjects),
    sql`create index users_perhaps_without_projects_user on users_perhaps_without_projects (user_id)`,
    ...events.flatMap((one) => {
      const name = `${one.table}_${one.event.split(' ')[1]}_without_projects`
      return forEachRow(dialect, { ...one, name })
    }),
  ]
}
