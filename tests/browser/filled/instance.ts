import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { idleKind } from '../../../src/modules/background-jobs/testing.ts'
import { makeKey } from '../../../src/modules/gpg-keys/testing.ts'
import { newSshKey } from '../../deleted-once-world.ts'
import { hostile, type Make, soon } from './making.ts'

/** Keys, addresses and tokens of a person. @param root makes what administrators see of them */
export async function fillAccount(mine: Make, root: Make, person: { id: number; username: string }): Promise<void> {
  await mine('/user/keys', { title: hostile, key: newSshKey() })
  const { publicText } = await makeKey([`${person.username}@example.com`])
  await mine('/user/gpg_keys', { key: publicText })
  await mine('/user/emails', { email: `${person.username}-two@example.com` })
  await mine.put('/user/status', { emoji: 'coffee', message: hostile.slice(0, 100) })
  const user = `/users/${person.id}`
  await root.put(`${user}/custom_attributes/desk`, { value: hostile })
}

/** What administrators make. */
export async function fillInstance(root: Make, snippet: number): Promise<void> {
  const application = { name: hostile, redirect_uri: 'https://app.example/', scopes: 'read_user', confidential: true }
  await root('/applications', application)
  await root('/admin/ci/variables', { key: 'KEY', value: hostile })
  await root('/hooks', { url: 'https://system.example/' })
  await root('/deploy_keys', { title: hostile, key: newSshKey() })
  await root('/service_accounts', { name: hostile.slice(0, 100) })
  const banner = { message: `Hello ${hostile}`, dismissable: true, ends_at: '2099-01-01T00:00:00Z' }
  await root('/broadcast_messages', banner)
  await root('/member_roles', { name: hostile, base_access_level: 20, description: hostile, admin_web_hook: true })
  await root('/topics', { name: 'tides', title: hostile, description: hostile })
  await root('/features/tides', { value: 'true', force: true })
  await root('/geo_sites', { name: hostile, url: 'https://copy.example/' })
  await root(`/snippets/${snippet}/repository_storage_moves`, { destination_storage_name: 'other' })
  await root('/users/1/personal_access_tokens', { name: 'of root', scopes: ['api'], expires_at: soon() })
}

/**
 * Stores what no request makes for certain: a background job that has failed, a backup that was completed, and what a migration could
 * not bring.
 * @param folder of the server
 */
export function storeWork(folder: string): void {
  using database = new DatabaseSync(join(folder, 'fennec.db'), { timeout: 5_000 })
  const moment = new Date().toISOString()
  database
    .prepare(
      `insert into jobs (queue, kind, payload, state, attempts, max_attempts, last_error, run_at, created_at, updated_at)
       values ('default', ?, 'null', 'failed', 4, 4, ?, ?, ?, ?)`,
    )
    .run(idleKind, `Error: ${hostile}`, moment, moment, moment)
  database
    .prepare(
      `insert into bulk_import_failures (entity_id, relation, exception_class, exception_message, source_title, created_at)
       select id, 'labels', 'InvalidRow', ?, 'Line 1', ? from bulk_import_entities`,
    )
    .run(hostile, moment)
  database.exec('update bulk_import_entities set has_failures = 1')
  database
    .prepare(
      `insert into backups (path, size_bytes, is_incremental, started_at, finished_at) values (?, 4096, 0, ?, ?)`,
    )
    .run(`/backups/${hostile}`, moment, moment)
}
