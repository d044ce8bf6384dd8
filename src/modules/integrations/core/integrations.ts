import {
  failure,
  notFound,
  type PageRequest,
  pageOfList,
  parameterError,
  routeNotFound,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, jsonText, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { outboundPolicy, type ProjectOrGroup, type ProjectOrGroupRef } from '../../projects/index.ts'
import { catalogue, normalSlug } from '../catalogue/catalogue.ts'
import { type Entry, fieldsOf } from '../catalogue/entry.ts'
import { type EventColumn, eventColumns, eventDefaults } from '../catalogue/events.ts'
import type { IntegrationRow } from '../tables.ts'
import { type AppliedIntegration, applied } from './inheritance.ts'
import type { GivenFields } from './params.ts'
import { FullIntegration, Integration } from './present.ts'
import { openSecrets, type Secrets, sealSecrets } from './secrets.ts'
import * as store from './store.ts'
import { checkFields, invalidSettings, requireFields } from './validation.ts'

const ownDepth = ({ kind }: Pick<ProjectOrGroupRef, 'kind'>) => (kind === 'project' ? -1 : 0)

/** The settings that apply to a project or group, by id. */
export async function appliedTo(db: Reader, owner: ProjectOrGroupRef): Promise<AppliedIntegration[]> {
  return applied(await store.settingsAbove(db, owner), ownDepth(owner))
}

/** @throws ApiError 400 unless the catalogue has the slug */
function knownSlug(given: string): string {
  const slug = normalSlug(given)
  if (!catalogue.has(slug)) throw parameterError('slug', 'does not have a valid value')
  return slug
}

/** A page of the active integrations, by id (contract 25, x.integration_list). */
export async function listIntegrations({ database }: Platform, owner: ProjectOrGroup, page: PageRequest) {
  const active = (await appliedTo(database.read, owner)).filter((one) => one.active)
  const found = pageOfList(active, page)
  return { ...found, items: found.items.map((one) => Integration.present(one)) }
}

/** An integration, also one that is switched off (contract 25, x.integration_get). @throws ApiError 400, 404 */
export async function getIntegration({ database }: Platform, owner: ProjectOrGroup, given: string) {
  const slug = knownSlug(given)
  const found = (await appliedTo(database.read, owner)).find((one) => one.slug === slug)
  if (!found) throw notFound('Integration')
  return FullIntegration.present(found)
}

const lockOf = (tx: Tx, { kind, id }: ProjectOrGroup, slug: string) =>
  acquireLock(tx, `integrations:${kind}:${id}:${slug}`)

/** The setting of the nearest group above that is switched on. */
async function inheritedOf(tx: Reader, owner: ProjectOrGroup, slug: string): Promise<AppliedIntegration | undefined> {
  const above = (await store.settingsAbove(tx, owner)).filter(({ depth }) => depth > ownDepth(owner))
  return applied(above, ownDepth(owner)).find((one) => one.slug === slug)
}

/** Gives up the own setting. @throws ApiError 400 when no group above has one */
async function useInherited(tx: Tx, owner: ProjectOrGroup, slug: string): Promise<AppliedIntegration> {
  const inherited = await inheritedOf(tx, owner, slug)
  if (!inherited) throw invalidSettings()
  const own = await store.heldSetting(tx, owner, slug)
  if (own) await store.removeIntegration(tx, own.id)
  return inherited
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== ''

/** The fields of an entry after a change, as far as they are set: those that are not given stay. */
function changedFields(entry: Entry, before: { fields: GivenFields; secrets: Secrets }, given: GivenFields) {
  const now = Object.entries(fieldsOf(entry)).map(([name, { secret }]) => {
    const kept = secret ? before.secrets[name] : before.fields[name]
    return { name, secret: Boolean(secret), value: given[name] === undefined ? kept : given[name] }
  })
  const set = now.filter(({ value }) => isSet(value))
  const pairs = (among: typeof set) => Object.fromEntries(among.map(({ name, value }) => [name, value]))
  return {
    all: Object.fromEntries(now.map(({ name, value }) => [name, value])) as GivenFields,
    fields: pairs(set.filter(({ secret }) => !secret)),
    secrets: pairs(set.filter(({ secret }) => secret)) as Secrets,
  }
}

function switchesOf({ events }: Entry, own: IntegrationRow | null, given: GivenFields): Record<EventColumn, boolean> {
  const values = eventColumns.map((name) => {
    const asked = events.includes(name) ? (given[name] as boolean | undefined) : undefined
    return [name, asked ?? own?.[name] ?? eventDefaults[name]]
  })
  return Object.fromEntries(values) as Record<EventColumn, boolean>
}

const ownerColumns = ({ kind, id }: ProjectOrGroup) =>
  kind === 'project' ? { project_id: id, namespace_id: null } : { project_id: null, namespace_id: id }

type Setting = { slug: string; entry: Entry; given: GivenFields }

/** Stores the own setting. @throws ApiError 400 */
async function putOwn(platform: Platform, tx: Tx, owner: ProjectOrGroup, { slug, entry, given }: Setting) {
  const own = await store.heldSetting(tx, owner, slug)
  const before = { fields: own?.fields ?? {}, secrets: (own && (await openSecrets(platform, own))) ?? {} }
  const { all, fields, secrets } = changedFields(entry, before, given)
  checkFields(slug, entry, all, outboundPolicy(await platform.settings.current()))
  const moment = now(platform.clock)
  const columns = {
    ...switchesOf(entry, own, given),
    active: fields.active !== false,
    fields: jsonText(fields),
    sealed_secrets: await sealSecrets(platform, owner, slug, secrets),
    ...{ recent_failures: 0, disabled_until: null, updated_at: moment },
  }
  const row = own
    ? await store.updateIntegration(tx, own.id, columns)
    : await store.insertIntegration(tx, { ...ownerColumns(owner), slug, ...columns, created_at: moment })
  if (!row) throw notFound('Integration')
  return { ...row, inherited: false }
}

/** @throws ApiError 422 for entries that only other programs set up */
function requireCreatable({ does, title }: Entry): void {
  if (does === 'elsewhere') throw failure(422, `You cannot create the ${title} from the API`)
}

/** What pages ask before they offer the settings of a group above. @throws ApiError 400 where there are none */
export async function requirePossible(
  { database }: Platform,
  owner: ProjectOrGroup,
  slug: string,
  inherits: boolean | undefined,
): Promise<void> {
  if (inherits && !(await inheritedOf(database.read, owner, normalSlug(slug)))) throw invalidSettings()
}

/** Sets up an integration, or changes it (contract 25, x.integration_put). @throws ApiError 400, 404, 422 */
export async function putIntegration(
  platform: Platform,
  owner: ProjectOrGroup,
  slugGiven: string,
  { use_inherited_settings: inherits, ...given }: GivenFields,
  act: Act,
) {
  const slug = normalSlug(slugGiven)
  const entry = catalogue.get(slug)
  if (!entry) throw routeNotFound()
  requireCreatable(entry)
  if (!inherits) requireFields(entry, given)
  const row = await platform.database.write(async (tx) => {
    await lockOf(tx, owner, slug)
    const stored = inherits
      ? await useInherited(tx, owner, slug)
      : await putOwn(platform, tx, owner, { slug, entry, given })
    await act(tx, slug)
    return stored
  })
  return FullIntegration.present(row)
}

/** What a setting has after it was switched off. */
const switchedOff = { active: false, fields: '{}', sealed_secrets: null, recent_failures: 0, disabled_until: null }

/**
 * Switches an integration off and forgets its fields; one that was inherited is switched off here (contract 25, x.integration_delete).
 * @throws ApiError 400; 412 by `unmodified`
 */
export async function deleteIntegration(
  platform: Platform,
  owner: ProjectOrGroup,
  given: string,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  const slug = knownSlug(given)
  await platform.database.write(async (tx) => {
    await lockOf(tx, owner, slug)
    const own = await store.heldSetting(tx, owner, slug)
    const inherited = own ? undefined : await inheritedOf(tx, owner, slug)
    if (!own?.active && !inherited) return
    const moment = now(platform.clock)
    if (own) {
      unmodified(own.updated_at)
      await store.updateIntegration(tx, own.id, { ...switchedOff, updated_at: moment })
    } else {
      const times = { created_at: moment, updated_at: moment }
      await store.insertIntegration(tx, { ...ownerColumns(owner), slug, ...eventDefaults, ...switchedOff, ...times })
    }
    await act(tx, slug)
  })
}
