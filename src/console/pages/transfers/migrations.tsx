import type { Html } from '../../html/index.ts'
import {
  bulkImportsCancel,
  bulkImportsCreate,
  bulkImportsEntities,
  bulkImportsFailures,
  bulkImportsGet,
  bulkImportsList,
  groupsList,
  type ItemOf,
} from '../../operations.ts'
import { numberIn, page, type Visit } from '../../page.ts'
import { Do, Form } from '../../parts/form.tsx'
import { Pages, Time } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'

const words: Readonly<Record<string, string>> = {
  created: 'Waits',
  started: 'Under way',
  finished: 'Finished',
  timeout: 'Without progress for too long',
  failed: 'Failed',
  canceled: 'Canceled',
}

const isUnderWay = (status: string) => status === 'created' || status === 'started'

/** The state of a migration, or of a part of it. */
const State = ({ status, has_failures: fails }: { status: string; has_failures: boolean }): Html => (
  <span class="tagged">
    {words[status]}
    {fails && isFinished(status) ? ', not everything was brought' : ''}
  </span>
)
const isFinished = (status: string) => status === 'finished'

/** The migrations of the caller. */
export const ownMigrations = page({
  at: 'instance',
  path: 'migrations',
  nav: { section: 'Account', label: 'Migrations', operation: bulkImportsList },
  async show(visit) {
    const found = await visit.read(bulkImportsList, { page: visit.number })
    return {
      title: 'Migrations',
      actions: (
        <a class="button primary" href="/-/migrations/new">
          New migration
        </a>
      ),
      body: (
        <div>
          <p class="lead">Groups and projects that you bring from another server.</p>
          {found.items.length === 0 && <p class="empty">There are none yet.</p>}
          <ul class="rows">
            {found.items.map((migration) => (
              <li>
                <div class="grow">
                  <a href={`/-/migrations/${migration.id}`}>
                    <b>{migration.source_url}</b>
                  </a>
                  <p class="sub">
                    started <Time at={migration.created_at} />
                  </p>
                </div>
                <State {...migration} />
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

type Entity = ItemOf<typeof bulkImportsEntities>

/** A group or project of a migration, with how much of it was brought. */
function EntityRow({ migrationId, entity }: { migrationId: number; entity: Entity }): Html {
  const { source_full_path: from, destination_full_path: to, namespace_id: group, project_id: project } = entity
  const relations = Object.entries(entity.stats).filter(([, { source }]) => source > 0)
  const brought = relations.map(([name, { source, imported }]) => `${name} ${imported}/${source}`).join(' · ')
  return (
    <li>
      <div class="grow">
        <b>{from}</b> to {group === null && project === null ? to : <a href={`/${to}`}>{to}</a>}
        <p class="sub">{brought || entity.entity_type}</p>
        {entity.has_failures && (
          <p class="sub">
            <a href={`/-/migrations/${migrationId}/entities/${entity.id}`}>What could not be brought</a>
          </p>
        )}
      </div>
      <State {...entity} />
    </li>
  )
}

/** A migration with its groups and projects. */
export const ownMigration = page({
  at: 'instance',
  path: 'migrations/:id',
  under: 'migrations',
  performs: [bulkImportsCancel],
  async show(visit) {
    const import_id = numberIn(visit, 'id')
    const migration = await visit.read(bulkImportsGet, { import_id })
    const found = await visit.read(bulkImportsEntities, { import_id, page: visit.number })
    return {
      title: `Migration from ${migration.source_url}`,
      crumbs: [['Migrations', '/-/migrations']],
      refreshes: isUnderWay(migration.status),
      body: (
        <div>
          <Refusal visit={visit} />
          <div data-live="migration">
            <p>
              <State {...migration} /> started <Time at={migration.created_at} />
            </p>
            <ul class="rows">
              {found.items.map((entity) => (
                <EntityRow migrationId={migration.id} entity={entity} />
              ))}
            </ul>
          </div>
          <Pages path={visit.path} page={visit.number} of={found} />
          {isUnderWay(migration.status) && (
            <Do visit={visit} performs={bulkImportsCancel} call={{ import_id }} kind="danger">
              Cancel
            </Do>
          )}
        </div>
      ),
    }
  },
})

/** What of a group or project could not be brought. */
export const migrationFailures = page({
  at: 'instance',
  path: 'migrations/:id/entities/:entity',
  under: 'migrations',
  async show(visit) {
    const [import_id, entity_id] = [numberIn(visit, 'id'), numberIn(visit, 'entity')]
    const found = await visit.read(bulkImportsFailures, { import_id, entity_id, page: visit.number })
    return {
      title: 'What could not be brought',
      crumbs: [
        ['Migrations', '/-/migrations'],
        ['Migration', `/-/migrations/${import_id}`],
      ],
      body: (
        <div>
          <ul class="rows">
            {found.items.map(({ relation, source_title: title, exception_message: reason }) => (
              <li>
                <div class="grow">
                  <b>
                    {relation}
                    {title === null ? '' : `, ${title}`}
                  </b>
                  <p class="sub">{reason}</p>
                </div>
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

type TextProps = { visit: Visit; name: string; label: string; hint: string; type?: string; value?: string }

/** A field of the form; what was refused stays in it, but for the token. */
function Text({ name, label, hint, type = 'text', value = '' }: TextProps): Html {
  const id = name.replaceAll(/\W+/g, '-')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={name} type={type} value={value} aria-describedby={`${id}-about`} autocomplete="off" />
      <small id={`${id}-about`}>{hint}</small>
    </div>
  )
}

type Sent = { configuration?: { url?: string }; entities?: Record<string, string>[] }

/** The role that may import into a group. */
const maintainer = 40
const mostChoices = 100

/** Brings a group or project from another server. */
export const newMigration = page({
  at: 'instance',
  path: 'migrations/new',
  under: 'migrations',
  performs: [bulkImportsCreate],
  async show(visit) {
    const { configuration = {}, entities = [] } = (visit.refused?.values ?? {}) as Sent
    const entity = entities[0] ?? {}
    const groups = await visit.read(groupsList, { min_access_level: maintainer, per_page: mostChoices })
    const namespaces = [visit.me?.username ?? '', ...groups.items.map(({ full_path: path }) => path)]
    const text = (name: string, label: string, hint: string, more: Partial<TextProps> = {}) => (
      <Text {...{ visit, name, label, hint, ...more }} />
    )
    const ofEntity = (name: string, label: string, hint: string) =>
      text(`entities[0][${name}]`, label, hint, { value: (entity[name] ?? '').trim() })
    return {
      title: 'New migration',
      crumbs: [['Migrations', '/-/migrations']],
      body: (
        <div class="derived">
          <p class="lead">
            A group is brought with the groups and projects below it, and with those members whose addresses are known
            here. Where more than one is to be brought at once, use the API.
          </p>
          <Form visit={visit} performs={bulkImportsCreate} then="/-/migrations/{id}" class="stack">
            {text('configuration[url]', 'Address of the other server', 'Without a path.', {
              value: configuration.url ?? '',
            })}
            {text(
              'configuration[access_token]',
              'Token',
              'Of the other server, with the scope api. It is forgotten at the end.',
              {
                type: 'password',
              },
            )}
            <div class="field">
              <label for="source-type">What is brought</label>
              <select id="source-type" name="entities[0][source_type]">
                <option value="group_entity">A group</option>
                <option value="project_entity" selected={entity.source_type === 'project_entity'}>
                  A project
                </option>
              </select>
            </div>
            {ofEntity('source_full_path', 'Its path there', 'With the groups above: group/below.')}
            {ofEntity('destination_slug', 'Its path here', 'The last part.')}
            <div class="field">
              <label for="namespace">The group above, here</label>
              <select id="namespace" name="entities[0][destination_namespace]">
                {/* Forms do not send what is empty. */}
                <option value=" ">At the top level</option>
                {namespaces.map((path) => (
                  <option value={path} selected={entity.destination_namespace === path}>
                    {path}
                  </option>
                ))}
              </select>
            </div>
            <button class="primary">Start</button>
          </Form>
        </div>
      ),
    }
  },
})
