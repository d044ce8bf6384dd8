/** What users want to be told by mail (contract 25, Notification settings). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { EventChoices, Level } from './settings/levels.ts'
import type { Occasion } from './telling/occasion.ts'

/** A setting of a user for a project, for a group, or for everything else. What was never set has no row. */
export const notificationSettings = table(
  'notification_settings',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade'),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    level: t.text<Level>(),
    /** The events that were chosen; the others have their defaults. They count at the level `custom`. */
    events: t.json<EventChoices>().default('{}'),
    /** Of the setting for everything: where mails go. Null: to the primary address. Asked again when a mail is sent. */
    notification_email: t.name().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['project_id is null or namespace_id is null'],
    unique: {
      project: partial('project_id', 'user_id'),
      namespace: partial('namespace_id', 'user_id'),
      own: { on: ['user_id'], where: 'project_id is null and namespace_id is null' },
    },
    indexes: { user: ['user_id'] },
  },
)

/**
 * Something of which users are notified, until all of them are. The users follow each other by their ids: those up to `told_up_to` have
 * their mails in the queue, in the transaction that moved it.
 */
export const notificationRuns = table(
  'notification_runs',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    occasion: t.json<Occasion>(),
    told_up_to: t.bigint().default(0),
    created_at: t.time(),
  },
  { indexes: { project: ['project_id'] } },
)

/**
 * A day whose due issues users are notified of. The issues follow each other by their ids: those up to `told_up_to` have their runs, in
 * the transaction that moved it.
 */
export const notificationDueDays = table(
  'notification_due_days',
  { day: t.date(), told_up_to: t.bigint().default(0) },
  { primaryKey: ['day'] },
)

export type NotificationSettingRow = RowOf<typeof notificationSettings>

declare module '../../infra/database/tables.ts' {
  interface Tables
    extends TablesOf<typeof notificationSettings | typeof notificationRuns | typeof notificationDueDays> {}
}
