import { refuse } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isShared, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { type InstanceDefinitions, instanceDefinitions } from './definitions.ts'
import {
  changedValues,
  type Definitions,
  defaultsOf,
  differing,
  type SettingChanges,
  type SettingValues,
  settingProblems,
} from './setting.ts'
import { sharedRead } from './shared-read.ts'
import { findSettings, holdSettings, saveSettings, settingsId, versionReader } from './store.ts'
import type { ApplicationSettingsRow } from './tables.ts'

/** The settings that are in force, by name. */
export type InstanceSettings = SettingValues<InstanceDefinitions>

/** The settings as the record that the API shows. */
export type SettingsRecord<V = InstanceSettings> = { id: number; created_at: string; updated_at: string; values: V }

/** The instance's settings: stored in the database, changed by administrators. */
export interface Settings<D extends Definitions = InstanceDefinitions> {
  readonly definitions: D
  /**
   * The settings that are in force. Cheap enough for every request: one look at the version of the row, which is read
   * again only when a process has changed it (contract 20, x.settings_update). Sees what is
   * committed: inside of a transaction, not what that transaction changes.
   */
  current(): Promise<SettingValues<D>>
  /** The settings with the times of their record, which the first call creates. */
  record(): Promise<SettingsRecord<SettingValues<D>>>
  /**
   * Changes some settings; names that no table defines are ignored.
   * @param tx the transaction of the caller, where there is one
   * @throws ApiError 400, form C, for each value that the rules of its setting refuse
   */
  update(changes: SettingChanges<D>, tx?: Tx): Promise<SettingsRecord<SettingValues<D>>>
}

type Values = Record<string, unknown>
type Parts<D> = { database: Database; clock: Clock; definitions?: D }

/** All callers get the same object, so no caller may change it. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}

function valuesOf(definitions: Definitions, changed: Values): Values {
  const entries = Object.entries(definitions).map(([name, { default: initial, restore }]) => {
    if (!Object.hasOwn(changed, name)) return [name, initial]
    return [name, restore ? restore(changed[name]) : changed[name]]
  })
  return freeze(structuredClone(Object.fromEntries(entries)))
}

/** Versions only grow, also when changes follow each other quickly or the clock is set back. */
function versionAfter(previous: string, moment: string): string {
  return moment > previous ? moment : new Date(Date.parse(previous) + 1).toISOString()
}

/** A setting of the instance as it is stored now, for rules that have a database and no platform. */
export async function storedSetting<Name extends keyof InstanceDefinitions>(
  db: Reader,
  name: Name,
): Promise<SettingValues<InstanceDefinitions>[Name]> {
  const changed = (await findSettings(db))?.changed ?? {}
  const { [name]: definition } = instanceDefinitions()
  return (name in changed ? changed[name] : definition.default) as SettingValues<InstanceDefinitions>[Name]
}

/**
 * Opens the instance's settings.
 * @param parts.definitions the settings that exist, see `mergeDefinitions`; by default those of the instance
 */
export function createSettings<D extends Definitions = InstanceDefinitions>(parts: Parts<D>): Settings<D> {
  const { database, clock } = parts
  const definitions = parts.definitions ?? (instanceDefinitions() as Definitions as D)
  // On PostgreSQL the question travels to another process, for each request several times.
  const ownVersion = versionReader(database.read)
  const readVersion = isShared(database) ? sharedRead(ownVersion) : ownVersion
  type Known = { version: string | null; values: SettingValues<D> }

  const restored = (changed: Values) => valuesOf(definitions, changed) as SettingValues<D>
  const recordOf = ({ changed, created_at, updated_at }: ApplicationSettingsRow) => {
    return { id: settingsId, created_at, updated_at, values: restored(changed) }
  }
  let known: Known = { version: null, values: restored({}) }

  async function updateWithin(tx: Tx, changes: SettingChanges<D>) {
    const moment = now(clock)
    const row = await holdSettings(tx, moment)
    refuse(settingProblems(definitions, changes))
    const changed = differing(changedValues(definitions, restored(row.changed), changes), defaultsOf(definitions))
    const updatedAt = versionAfter(row.updated_at, moment)
    await saveSettings(tx, changed, updatedAt)
    const record = recordOf({ ...row, changed, updated_at: updatedAt })
    tx.afterCommit(() => {
      known = { version: record.updated_at, values: record.values }
    })
    return record
  }

  return {
    definitions,
    async current() {
      const version = await readVersion()
      if (version === known.version) return known.values
      const row = await findSettings(database.read)
      const read = { version: row?.updated_at ?? null, values: restored(row?.changed ?? {}) }
      known = read
      return read.values
    },
    async record() {
      const row = await findSettings(database.read)
      return recordOf(row ?? (await database.write((tx) => holdSettings(tx, now(clock)))))
    },
    update(changes, tx) {
      return tx ? updateWithin(tx, changes) : database.write((own) => updateWithin(own, changes))
    },
  }
}
