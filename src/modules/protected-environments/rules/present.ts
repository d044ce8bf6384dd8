import { computed, forms, object, of, type Static, Type } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { levelNames } from '../../protected-branches/index.ts'
import type { ProtectedEnvironmentRow } from '../tables.ts'
import { type ApprovalRule, type Entries, type Entry, type Grantee, namesOf } from './store.ts'

/** An entry with the name of the user or group. */
type Described<E extends Grantee = Entry> = E & { title: string | null }

/** The name of the role, user or group that an entry names (contract 24, ProtectedEnvironment). */
const descriptionOf = ({ access_level: level, title }: Described<Grantee>) =>
  (level === null ? title : levelNames[level]) ?? ''

const who = of<Described>().fields({
  access_level: forms.nullableInteger,
  access_level_description: computed(Type.String(), descriptionOf),
  user_id: forms.nullableInteger,
  group_id: forms.nullableInteger,
})
const inheritance = Type.Integer({ description: 'Of groups: 0 for direct members only, 1 also for inherited ones.' })

/** Who may deploy. */
export const DeployAccessLevel = object('DeployAccessLevel', of<Described>(), {
  id: forms.id,
  ...who,
  group_inheritance_type: inheritance,
})

/** Who has to approve, and how often. */
export const EnvironmentApprovalRule = object('EnvironmentApprovalRule', of<Described<ApprovalRule>>(), {
  id: forms.id,
  ...who,
  required_approvals: Type.Integer(),
  group_inheritance_type: inheritance,
})

type Shown = ProtectedEnvironmentRow & { deploy: Described[]; approval: Described<ApprovalRule>[] }

/** A protected environment, or a protected tier of a group (contract 24, ProtectedEnvironment). */
export const ProtectedEnvironment = object('ProtectedEnvironment', of<Shown>(), {
  name: Type.String(),
  deploy_access_levels: computed(Type.Array(DeployAccessLevel), ({ deploy }) =>
    deploy.map((entry) => DeployAccessLevel.present(entry)),
  ),
  required_approval_count: computed(Type.Integer({ description: 'Deprecated: always 0.' }), () => 0),
  approval_rules: computed(Type.Array(EnvironmentApprovalRule), ({ approval }) =>
    approval.map((rule) => EnvironmentApprovalRule.present(rule)),
  ),
})
export type PresentedProtection = Static<typeof ProtectedEnvironment>

/** Adds to entries the names of whom they name, in two queries. */
export async function described<E extends Grantee>(
  db: Reader,
  entries: readonly E[],
): Promise<(Described<E> & { description: string })[]> {
  const names = await namesOf(db, {
    users: [...new Set(entries.flatMap(({ user_id }) => user_id ?? []))],
    groups: [...new Set(entries.flatMap(({ group_id }) => group_id ?? []))],
  })
  return entries.map((entry) => {
    const { user_id, group_id } = entry
    const title = names.users.get(user_id ?? 0) ?? names.groups.get(group_id ?? 0) ?? null
    return { ...entry, title, description: descriptionOf({ ...entry, title }) }
  })
}

/** Presents protected environments with their entries. */
export async function presentProtections(
  db: Reader,
  rows: readonly ProtectedEnvironmentRow[],
  entries: (id: number) => Entries,
): Promise<PresentedProtection[]> {
  const deploy = await described(
    db,
    rows.flatMap(({ id }) => entries(id).deploy),
  )
  const approval = await described(
    db,
    rows.flatMap(({ id }) => entries(id).approval),
  )
  const byEnvironment = <E extends Entry>(all: readonly E[]) => Map.groupBy(all, (one) => one.protected_environment_id)
  const [levels, rules] = [byEnvironment(deploy), byEnvironment(approval)]
  return rows.map((row) =>
    ProtectedEnvironment.present({ ...row, deploy: levels.get(row.id) ?? [], approval: rules.get(row.id) ?? [] }),
  )
}
