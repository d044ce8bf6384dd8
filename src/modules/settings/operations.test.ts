import { describe, expect, test } from 'vitest'
import { demoServer } from '../../api/testing.ts'
import { manualClock } from '../../infra/clock/index.ts'
import { createSettings, instanceDefinitions } from '../../platform/settings/index.ts'
import { freshDatabase } from '../../testing/database.ts'
import { aliases } from './aliases.ts'
import { settings as settingsModule } from './index.ts'

const path = '/api/v4/application/settings'
const start = '2026-01-02T03:04:05.678Z'
const names = [...Object.keys(instanceDefinitions()), ...Object.keys(aliases)]

/** A server with the operations of the settings; `admin`, `user` and `reader` are tokens. */
async function settingsServer() {
  const database = await freshDatabase()
  const definitions = instanceDefinitions({ host: 'git.example.com', storages: ['default', 'storage2'] })
  const settings = createSettings({ database, clock: manualClock({ start }), definitions })
  const server = demoServer(settingsModule.operations, {
    platform: { settings, database, clock: manualClock({ start }), reactions: { 'administrator.acted': [] } },
  })
  const asAdmin = { 'private-token': 'admin' }
  return {
    settings,
    server,
    get: (headers: Record<string, string> = asAdmin) => server.get(path, headers),
    put: (body: unknown, headers: Record<string, string> = asAdmin) =>
      server.send('PUT', path, JSON.stringify(body), { 'content-type': 'application/json', ...headers }),
    form: (body: string) =>
      server.send('PUT', path, body, { 'content-type': 'application/x-www-form-urlencoded', ...asAdmin }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

describe('GET /application/settings', () => {
  test('shows every setting, in the order of the contract', async () => {
    await using api = await settingsServer()
    const response = await api.get()
    expect(response.statusCode).toBe(200)
    const body = response.json()
    expect(Object.keys(body)).toEqual(['id', 'created_at', 'updated_at', ...names, 'repository_storages'])
    expect(body).toMatchObject({
      id: 1,
      created_at: start,
      updated_at: start,
      signup_enabled: true,
      terms: null,
      max_personal_access_token_lifetime: null,
      restricted_visibility_levels: [],
      default_branch_protection_defaults: {
        allowed_to_push: [{ access_level: 40 }],
        allow_force_push: false,
        allowed_to_merge: [{ access_level: 40 }],
        developer_can_initial_push: false,
      },
      repository_storages_weighted: { default: 100, storage2: 0 },
      repository_storages: ['default'],
      enabled_git_access_protocol: null,
      commit_email_hostname: 'users.noreply.git.example.com',
      throttle_protected_paths_period_in_seconds: 60,
    })
    expect((await api.get()).headers.etag).toBe(response.headers.etag)
  })

  test('is available to administrators only', async () => {
    await using api = await settingsServer()
    const answers = await Promise.all([api.get({}), api.get({ 'private-token': 'user' })])
    expect(answers.map((answer) => [answer.statusCode, answer.json()])).toEqual([
      [401, { message: '401 Unauthorized' }],
      [403, { message: '403 Forbidden' }],
    ])
  })
})

describe('PUT /application/settings', () => {
  test('changes the given settings only, and answers with all', async () => {
    await using api = await settingsServer()
    const response = await api.put({
      restricted_visibility_levels: ['public', 'internal'],
      throttle_authenticated_api_enabled: 'yes',
      throttle_authenticated_api_requests_per_period: '1',
      home_page_url: 'https://example.com/',
      enabled_git_access_protocol: 'ssh',
      unknown_setting: 1,
    })
    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      restricted_visibility_levels: ['public', 'internal'],
      throttle_authenticated_api_enabled: true,
      throttle_authenticated_api_requests_per_period: 1,
      home_page_url: 'https://example.com/',
      enabled_git_access_protocol: 'ssh',
      default_projects_limit: 100_000,
    })
    expect(response.json()).not.toHaveProperty('unknown_setting')
    expect((await api.get()).body).toBe(response.body)
    expect((await api.settings.current()).throttle_authenticated_api_enabled).toBe(true)
  })

  test('clears nullable settings by null, by the empty text, or by a value of their own', async () => {
    await using api = await settingsServer()
    const set = { terms: 'Be kind.', home_page_url: 'x', max_ssh_key_lifetime: 3, enabled_git_access_protocol: 'http' }
    await api.put(set)
    const cleared = await api.put({
      terms: null,
      home_page_url: '',
      max_ssh_key_lifetime: null,
      enabled_git_access_protocol: 'all',
    })
    expect(cleared.json()).toMatchObject({
      terms: null,
      home_page_url: null,
      max_ssh_key_lifetime: null,
      enabled_git_access_protocol: null,
    })
  })

  test('accepts forms with nested names, and lists in brackets or with commas', async () => {
    await using api = await settingsServer()
    const response = await api.form(
      'repository_storages_weighted[storage2]=30&repository_storages_weighted[default]=70' +
        '&domain_allowlist[]=a.example&domain_allowlist[]=b.example&import_sources=git,github' +
        '&default_branch_protection_defaults[allowed_to_push][][access_level]=30&restricted_visibility_levels=',
    )
    expect(response.json()).toMatchObject({
      repository_storages_weighted: { default: 70, storage2: 30 },
      repository_storages: ['default', 'storage2'],
      domain_allowlist: ['a.example', 'b.example'],
      import_sources: ['git', 'github'],
      default_branch_protection_defaults: { allowed_to_push: [{ access_level: 30 }], allow_force_push: false },
      restricted_visibility_levels: [],
    })
  })

  test('requires at least one setting, and lists all of them otherwise', async () => {
    await using api = await settingsServer()
    const expected = {
      error: `${names.join(', ')} are missing, at least one parameter must be provided`,
      message: `400 (Bad request) ${names.map((name) => `"${name}"`).join(', ')} not given`,
    }
    for (const body of [{}, { unknown_setting: 1 }, { signup_enabled: null }, { signup_enabled: '' }]) {
      const response = await api.put(body)
      expect([response.statusCode, response.json()]).toEqual([400, expected])
    }
  })

  test('rejects values of wrong type or out of range without changes', async () => {
    await using api = await settingsServer()
    const cases: [string, unknown, string][] = [
      ['default_project_visibility', 'secret', 'does not have a valid value'],
      ['default_project_visibility', '', 'does not have a valid value'],
      ['email_confirmation_setting', 'HARD', 'does not have a valid value'],
      ['enabled_git_access_protocol', 'ftp', 'does not have a valid value'],
      ['default_branch_protection', 5, 'does not have a valid value'],
      ['throttle_authenticated_api_period_in_seconds', 0, 'does not have a valid value'],
      ['default_projects_limit', -1, 'does not have a valid value'],
      ['default_projects_limit', 1e12, 'does not have a valid value'],
      ['default_projects_limit', '1.5', 'is invalid'],
      ['default_projects_limit', [1], 'is invalid'],
      ['default_projects_limit', '9'.repeat(40), 'is invalid'],
      ['admin_mode', 'maybe', 'is invalid'],
      ['terms', 'nul \u0000', 'is invalid'],
      ['terms', { a: 1 }, 'is invalid'],
      ['personal_access_token_prefix', 'x'.repeat(21), 'is too long (maximum is 20 characters)'],
      ['repository_storages_weighted', 'default', 'is invalid'],
      ['repository_storages_weighted', [1], 'is invalid'],
      ['default_branch_protection_defaults', [], 'is invalid'],
    ]
    for (const [name, value, text] of cases) {
      const response = await api.put({ [name]: value, signup_enabled: false })
      expect([response.statusCode, response.json()]).toEqual([
        400,
        { message: { [name]: [text] }, error: `${name} ${text}` },
      ])
    }
    expect((await api.settings.current()).signup_enabled).toBe(true)
  })

  test('rejects a list with an unknown word, and an object with the name of the wrong member', async () => {
    await using api = await settingsServer()
    for (const [name, value] of [
      ['restricted_visibility_levels', ['public', 20, 'hidden']],
      ['restricted_visibility_levels', 'public,hidden'],
      ['import_sources', ['floppy']],
    ] as const) {
      const text = 'does not have a valid value'
      const response = await api.put({ [name]: value })
      expect([response.statusCode, response.json()]).toEqual([
        400,
        { message: { [name]: [text] }, error: `${name} ${text}` },
      ])
    }
    const defaults = await api.put({ default_branch_protection_defaults: { allowed_to_push: [{ access_level: 50 }] } })
    expect(defaults.json().error).toMatch(/^default_branch_protection_defaults\[allowed_to_push\]\[0\]\[access_level\]/)
    expect(defaults.statusCode).toBe(400)
  })

  test('keeps whether a secret is set, and not the secret', async () => {
    await using api = await settingsServer()
    const given = { slack_app_secret: 'xoxb-secret', mailgun_signing_key: '*****' }
    expect((await api.put(given)).json()).toMatchObject({ slack_app_secret: '*****', mailgun_signing_key: null })
    expect(JSON.stringify(await api.settings.record())).not.toContain('xoxb-secret')
    const unchanged = await api.put({ slack_app_secret: '*****', slack_app_enabled: true })
    expect(unchanged.json()).toMatchObject({ slack_app_secret: '*****', slack_app_enabled: true })
    for (const none of [null, '']) {
      await api.put({ slack_app_secret: 'x' })
      expect((await api.put({ slack_app_secret: none })).json()).toMatchObject({ slack_app_secret: null })
    }
  })

  test('reads and writes one value by two names', async () => {
    await using api = await settingsServer()
    const byAlias = await api.put({
      throttle_unauthenticated_enabled: true,
      asset_proxy_whitelist: ['a.example'],
      outbound_local_requests_allowlist_raw: '10.0.0.1\r\nb.example, c.example\n',
    })
    expect(byAlias.json()).toMatchObject({
      throttle_unauthenticated_api_enabled: true,
      throttle_unauthenticated_enabled: true,
      asset_proxy_allowlist: ['a.example'],
      outbound_local_requests_whitelist: ['10.0.0.1', 'b.example', 'c.example'],
      outbound_local_requests_allowlist_raw: '10.0.0.1\nb.example\nc.example',
    })
    const both = { prevent_merge_request_author_approval: true, prevent_merge_requests_author_approval: false }
    expect((await api.put(both)).json()).toMatchObject({
      prevent_merge_request_author_approval: false,
      prevent_merge_requests_author_approval: false,
    })
    for (const wrong of [`a\n${'x'.repeat(256)}`, [{ a: 1 }]]) {
      expect((await api.put({ outbound_local_requests_allowlist_raw: wrong })).statusCode).toBe(400)
    }
    expect((await api.put({ outbound_local_requests_allowlist_raw: '' })).json()).toMatchObject({
      outbound_local_requests_whitelist: [],
    })
  })

  test('takes fractions of seconds and members of an object', async () => {
    await using api = await settingsServer()
    const changed = await api.put({ external_authorization_service_timeout: '1.5', kroki_formats: { bpmn: true } })
    expect(changed.json()).toMatchObject({
      external_authorization_service_timeout: 1.5,
      kroki_formats: { blockdiag: false, bpmn: true, excalidraw: false },
    })
    for (const wrong of [-1, 3601, 'NaN', 'x', [1]]) {
      expect((await api.put({ external_authorization_service_timeout: wrong })).statusCode, String(wrong)).toBe(400)
    }
  })

  test('rejects the weight of an unknown storage with the message of the contract', async () => {
    await using api = await settingsServer()
    const unknown = await api.form('repository_storages_weighted[nope]=1')
    const large = await api.form('repository_storages_weighted[storage2]=101')
    expect([unknown, large].map((answer) => [answer.statusCode, answer.json()])).toEqual([
      [400, { message: { repository_storages_weighted: ["can't include: nope"] } }],
      [400, { message: { repository_storages_weighted: ["value for 'storage2' must be between 0 and 100"] } }],
    ])
  })

  test('requires an administrator and a token with the scope api', async () => {
    await using api = await settingsServer()
    const change = { signup_enabled: false }
    const answers = await Promise.all([
      api.put(change, {}),
      api.put(change, { 'private-token': 'user' }),
      api.put(change, { 'private-token': 'reader' }),
    ])
    expect(answers.map((answer) => [answer.statusCode, answer.json()])).toEqual([
      [401, { message: '401 Unauthorized' }],
      [403, { message: '403 Forbidden' }],
      [
        403,
        {
          error: 'insufficient_scope',
          error_description: 'The request requires higher privileges than provided by the access token.',
          scope: 'api',
        },
      ],
    ])
    expect((await api.settings.current()).signup_enabled).toBe(true)
  })

  test('retains both of two concurrent changes', async () => {
    await using api = await settingsServer()
    await Promise.all([api.put({ admin_mode: true }), api.put({ terms: 'Ünï 😀 </script>' })])
    expect(await api.settings.current()).toMatchObject({ admin_mode: true, terms: 'Ünï 😀 </script>' })
  })
})
