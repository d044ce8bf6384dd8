import type { RawBuilder } from 'kysely'
import { type Dialect, forEachRow, type Trigger } from '../../infra/database/index.ts'

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

/** Triggers that append those who may have lost their last project (contract 20, x.users_list `without_projects`). */
export function withoutProjectsTriggers(dialect: Dialect): RawBuilder<unknown>[] {
  return events.flatMap((one) => {
    const name = `${one.table}_${one.event.split(' ')[1]}_without_projects`
    return forEachRow(dialect, { ...one, name })
  })
}
