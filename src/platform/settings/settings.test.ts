import { describe, expect, test } from 'vitest'
import { ApiError } from '../../api/index.ts'
import { manualClock } from '../../infra/clock/index.ts'
import { openDatabase } from '../../infra/database/index.ts'
import { migrations } from '../../migrations/index.ts'
import { freshDatabase, makeFreshDatabase } from '../../testing/database.ts'
import {
  createSettings,
  type Definitions,
  flag,
  instanceDefinitions,
  mergeDefinitions,
  type SettingChanges,
} from './index.ts'

const start = '2026-01-02T03:04:05.678Z'

async function fresh() {
  const database = await freshDatabase()
  const clock = manualClock({ start })
  return {
    database,
    clock,
    settings: createSettings({ database, clock }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** Two processes on one database. */
async function twoProcesses() {
  const place = await makeFreshDatabase()
  const clock = manualClock({ start })
  const databases = [
    await openDatabase({ url: place.url, migrations }),
    await openDatabase({ url: place.url, migrations }),
  ] as const
  return {
    databases,
    here: createSettings({ database: databases[0], clock }),
    there: createSettings({ database: databases[1], clock }),
    async [Symbol.asyncDispose]() {
      for (const database of databases) await database.close()
      await place.remove()
    },
  }
}

async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  return (error as ApiError).body
}

describe('the settings in force', () => {
  test('are the defaults until something is changed', async () => {
    await using instance = await fresh()
    const values = await instance.settings.current()
    expect(values.default_projects_limit).toBe(100_000)
    expect(values.repository_storages_weighted).toEqual({ default: 100 })
    expect(Object.keys(values)).toEqual(Object.keys(instanceDefinitions()))
  })

  test('follow a change at once, and only what differs from a default is kept', async () => {
    await using instance = await fresh()
    await instance.settings.update({ admin_mode: true, default_projects_limit: 7, signup_enabled: true })
    expect(await instance.settings.current()).toMatchObject({ admin_mode: true, default_projects_limit: 7 })
    const rows = () => instance.database.read.selectFrom('application_settings').selectAll().execute()
    expect((await rows()).map(({ changed }) => changed)).toEqual([{ admin_mode: true, default_projects_limit: 7 }])
    await instance.settings.update({ default_projects_limit: 100_000, domain_allowlist: [] })
    expect((await rows()).map(({ id, changed }) => ({ id, changed }))).toEqual([
      { id: 1, changed: { admin_mode: true } },
    ])
  })

  test('cost one query when nothing has changed, two after a change elsewhere', async () => {
    await using processes = await twoProcesses()
    const { here, there, databases } = processes
    const queriesOf = async (work: () => Promise<unknown>) => {
      const before = databases[0].queryCount()
      await work()
      return databases[0].queryCount() - before
    }
    await here.current()
    expect(await queriesOf(() => here.current())).toBe(1)
    await there.update({ search_rate_limit: 5 })
    expect(await queriesOf(() => here.current())).toBe(2)
    expect(await queriesOf(() => here.current())).toBe(1)
  })

  test('are one object for all callers, which is frozen', async () => {
    await using instance = await fresh()
    await instance.settings.update({ domain_allowlist: ['example.com'] })
    const values = await instance.settings.current()
    expect(await instance.settings.current()).toBe(values)
    expect(() => (values.domain_allowlist as string[]).push('x')).toThrow(TypeError)
    expect(() => Object.assign(values.default_branch_protection_defaults, { allow_force_push: true })).toThrow(
      TypeError,
    )
  })

  test('of other definitions are kept beside them', async () => {
    await using instance = await fresh()
    const { database, clock } = instance
    const more = { shiny_enabled: flag(false) }
    const settings = createSettings({ database, clock, definitions: mergeDefinitions(instanceDefinitions(), more) })
    await settings.update({ shiny_enabled: true, admin_mode: true })
    expect(await settings.current()).toMatchObject({ shiny_enabled: true, admin_mode: true })
    expect(await instance.settings.current()).not.toHaveProperty('shiny_enabled')
    expect(() => mergeDefinitions(instanceDefinitions(), { admin_mode: flag(true) })).toThrow(
      'the setting admin_mode is defined twice',
    )
  })

  test('start over when the database was emptied, even if the time stood still', async () => {
    await using instance = await fresh()
    await instance.settings.update({ admin_mode: true })
    await instance.settings.current()
    await instance.database.clear()
    expect((await instance.settings.current()).admin_mode).toBe(false)
    await instance.settings.update({ terms: 'Be kind.' })
    expect(await instance.settings.current()).toMatchObject({ admin_mode: false, terms: 'Be kind.' })
  })
})

describe('several processes', () => {
  test('each sees what another has changed, also twice within a millisecond', async () => {
    await using processes = await twoProcesses()
    const { here, there } = processes
    for (const limit of [1, 2, 3]) {
      await here.update({ default_projects_limit: limit })
      expect((await there.current()).default_projects_limit).toBe(limit)
    }
  })

  test('that change different settings at the same time lose none', async () => {
    await using processes = await twoProcesses()
    const { here, there } = processes
    await Promise.all([
      here.update({ admin_mode: true }),
      there.update({ gravatar_enabled: true }),
      here.update({ silent_mode_enabled: true }),
      there.update({ usage_ping_enabled: true }),
    ])
    const expected = { admin_mode: true, gravatar_enabled: true, silent_mode_enabled: true, usage_ping_enabled: true }
    expect(await here.current()).toMatchObject(expected)
    expect(await there.current()).toMatchObject(expected)
  })

  test('make one record, however many ask for it first', async () => {
    await using processes = await twoProcesses()
    const { here, there } = processes
    const records = await Promise.all([here.record(), there.record(), here.record()])
    for (const { id, created_at } of records) expect({ id, created_at }).toEqual({ id: 1, created_at: start })
  })
})

describe('a change', () => {
  test('moves the time of the record forward, even when the clock does not', async () => {
    await using instance = await fresh()
    const first = await instance.settings.record()
    expect(first).toMatchObject({ id: 1, created_at: start, updated_at: start })
    const second = await instance.settings.update({ admin_mode: true })
    expect(second.updated_at > first.updated_at).toBe(true)
    instance.clock.advance(60_000)
    const third = await instance.settings.update({ admin_mode: false })
    expect(third).toMatchObject({ created_at: start, updated_at: '2026-01-02T03:05:05.678Z' })
  })

  test('belongs to the transaction of the caller', async () => {
    await using instance = await fresh()
    const { database, settings } = instance
    const undone = database.write(async (tx) => {
      await settings.update({ admin_mode: true }, tx)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await createSettings(instance).update({ terms: 'Be kind.' })
    expect(await settings.current()).toMatchObject({ admin_mode: false, terms: 'Be kind.' })
    await database.write((tx) => settings.update({ admin_mode: true }, tx))
    expect((await settings.current()).admin_mode).toBe(true)
  })

  test('ignores names that are no settings, and values that are not given', async () => {
    await using instance = await fresh()
    const odd = { nonsense: 1, admin_mode: undefined, constructor: 1, ['__proto__']: { gravatar_enabled: true } }
    await instance.settings.update(odd as SettingChanges<ReturnType<typeof instanceDefinitions>>)
    expect(await instance.settings.current()).toEqual(await createSettings(instance).current())
  })

  test('of the branch protection leaves members that are not given', async () => {
    await using instance = await fresh()
    await instance.settings.update({ default_branch_protection_defaults: { allow_force_push: true } })
    expect((await instance.settings.current()).default_branch_protection_defaults).toEqual({
      allowed_to_push: [{ access_level: 40 }],
      allow_force_push: true,
      allowed_to_merge: [{ access_level: 40 }],
      developer_can_initial_push: false,
    })
  })

  test('is refused as a whole when a rule forbids a part of it', async () => {
    await using instance = await fresh()
    const body = await refusal(
      instance.settings.update({
        admin_mode: true,
        personal_access_token_prefix: 'no blanks\n',
        default_branch_name: 'a..b',
        default_ci_config_path: '../secret',
        commit_email_hostname: 'a@b',
      }),
    )
    expect(body).toEqual({
      message: {
        personal_access_token_prefix: [
          "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
        ],
        default_branch_name: ['is invalid'],
        default_ci_config_path: ['cannot include leading slash or directory traversal.'],
        commit_email_hostname: ['is invalid'],
      },
    })
    expect((await instance.settings.current()).admin_mode).toBe(false)
  })
})

describe('the weights of the storages', () => {
  async function withStorages(storages: string[]) {
    const instance = await fresh()
    const { database, clock } = instance
    return Object.assign(instance, {
      settings: createSettings({ database, clock, definitions: instanceDefinitions({ storages }) }),
    })
  }
  const weightsOf = async ({ settings }: Awaited<ReturnType<typeof withStorages>>) =>
    (await settings.current()).repository_storages_weighted

  test('name every configured storage, and are replaced as a whole', async () => {
    await using instance = await withStorages(['default', 'storage2'])
    expect(await weightsOf(instance)).toEqual({ default: 100, storage2: 0 })
    await instance.settings.update({ repository_storages_weighted: { storage2: '50' } })
    expect(await weightsOf(instance)).toEqual({ default: 0, storage2: 50 })
  })

  test('follow the configuration: a storage that is gone has none, a new one has 0', async () => {
    await using instance = await withStorages(['default', 'storage2'])
    await instance.settings.update({ repository_storages_weighted: { default: 1, storage2: 2 } })
    const definitions = instanceDefinitions({ storages: ['default', 'storage3'] })
    const later = createSettings({ ...instance, definitions })
    expect((await later.current()).repository_storages_weighted).toEqual({ default: 1, storage3: 0 })
  })

  test('begin with the first storage where none is called default', async () => {
    await using instance = await withStorages(['a', 'b'])
    expect(await weightsOf(instance)).toEqual({ a: 100, b: 0 })
  })

  test('refuse unknown storages and what is no weight, whatever the name', async () => {
    await using instance = await withStorages(['default'])
    const cases: [Record<string, unknown>, string[]][] = [
      [{ nope: 1 }, ["can't include: nope"]],
      [{ nope: 1, default: 1, other: 2 }, ["can't include: nope, other"]],
      [{ nope: 500 }, ["can't include: nope", "value for 'nope' must be between 0 and 100"]],
      [{ default: 'x' }, ["value for 'default' must be an integer"]],
      [{ default: 1.5 }, ["value for 'default' must be an integer"]],
      [{ default: {} }, ["value for 'default' must be an integer"]],
      [{ default: 101 }, ["value for 'default' must be between 0 and 100"]],
      [{ default: -1 }, ["value for 'default' must be between 0 and 100"]],
      [JSON.parse('{"__proto__":1}'), ["can't include: __proto__"]],
      [{ constructor: 1 }, ["can't include: constructor"]],
    ]
    for (const [weights, sentences] of cases) {
      expect(await refusal(instance.settings.update({ repository_storages_weighted: weights }))).toEqual({
        message: { repository_storages_weighted: sentences },
      })
    }
    expect(await weightsOf(instance)).toEqual({ default: 100 })
  })
})

describe('the table of settings', () => {
  test('has for every default a value that its own parameter and its rules take', () => {
    const table: Definitions = instanceDefinitions({ host: 'git.example.com' })
    for (const [name, setting] of Object.entries(table)) {
      if (setting.default === null) continue
      const problems: { name: string; missing: boolean; text: string }[] = []
      const read = setting.param.read(structuredClone(setting.default), name, problems)
      expect(problems).toEqual([])
      expect(read).toEqual(setting.default)
      expect(setting.check?.(read) ?? []).toEqual([])
    }
  })

  test('takes what depends on the instance from its facts', () => {
    const { commit_email_hostname } = instanceDefinitions({ host: 'git.example.com' })
    expect(commit_email_hostname.default).toBe('users.noreply.git.example.com')
  })
})
