import { addressOfPage } from '../../frame/addresses.ts'
import {
  containerTagRulesList,
  groupRegistryList,
  type ItemOf,
  projectRegistryList,
  projectsUpdate,
} from '../../operations.ts'
import { page } from '../../page.ts'
import { Copy, Empty, Icon, Pages, Time } from '../../parts/parts.tsx'
import { words } from '../../parts/words.ts'
import { at, nameOf } from './places.ts'

type Repository = ItemOf<typeof projectRegistryList>

/** Whether a deletion is under way. */
export const isLeaving = ({ status }: Pick<Repository, 'status'>): boolean =>
  status === 'delete_scheduled' || status === 'delete_ongoing'

/** The state of the deletion of a repository. */
export function Deletion({ of }: { of: Pick<Repository, 'status'> }) {
  if (of.status === null) return <></>
  return (
    <span class="tagged">
      <Icon name={isLeaving(of) ? 'running' : 'failed'} />
      {words(of.status.replace('delete_', 'deletion_'))}
    </span>
  )
}

type RowProps = { repository: Repository; href: string; label: string }

function Row({ repository, href, label }: RowProps) {
  const { tags_count: count, created_at } = repository
  return (
    <li>
      <Icon name="tag" />
      <div class="grow">
        <a class="strong" href={href}>
          {label}
        </a>{' '}
        <Deletion of={repository} />
        {count !== undefined && <p class="sub">{count === 1 ? '1 tag' : `${count} tags`}</p>}
      </div>
      <span class="meta when">
        <Time at={created_at} />
      </span>
    </li>
  )
}

function HowToPush({ prefix }: { prefix: string }) {
  const [host = ''] = prefix.split('/', 1)
  return (
    <Empty title="No images yet.">
      <p>Sign in with your user name and an access token, then push an image:</p>
      <pre tabindex={0}>{`docker login ${host}\ndocker build -t ${prefix} .\ndocker push ${prefix}`}</pre>
    </Empty>
  )
}

/** The image repositories of a project. */
export const repositories = page({
  at: 'project',
  path: 'container_registry',
  nav: { section: 'Deploy', label: 'Container registry', operation: projectRegistryList },
  async show(visit) {
    const { id, container_registry_image_prefix: prefix } = visit.project
    const [found, mayClean, mayProtect] = await Promise.all([
      visit.read(projectRegistryList, { id, tags_count: true, page: visit.number }),
      visit.may(projectsUpdate, { id }),
      visit.may(containerTagRulesList, { id }),
    ])
    return {
      title: 'Container registry',
      actions: (
        <>
          {mayProtect && (
            <a class="button" href={addressOfPage(visit, 'project', 'registry_tag_rules')}>
              Protected tags
            </a>
          )}
          {mayClean && (
            <a class="button" href={at(visit, '/cleanup_policy')}>
              Cleanup policy
            </a>
          )}
        </>
      ),
      refreshes: found.items.some(isLeaving),
      body: (
        <div>
          {prefix && found.items.length > 0 && <Copy text={prefix} label="Where images are pushed" />}
          {found.items.length === 0 ? (
            <HowToPush prefix={prefix ?? ''} />
          ) : (
            <ul class="rows">
              {found.items.map((repository) => (
                <Row repository={repository} href={at(visit, `/${repository.id}`)} label={nameOf(repository)} />
              ))}
            </ul>
          )}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

/** The path of the project of a repository: that of the repository without its name. */
const projectOf = ({ path, name }: Repository) => (name === '' ? path : path.slice(0, -name.length - 1))

/** The image repositories of a group and of everything below it. */
export const groupRepositories = page({
  at: 'group',
  path: 'container_registries',
  nav: { section: 'Deploy', label: 'Container registry', operation: groupRegistryList },
  async show(visit) {
    const found = await visit.read(groupRegistryList, { id: visit.group.id, page: visit.number })
    return {
      title: 'Container registry',
      refreshes: found.items.some(isLeaving),
      body: (
        <div>
          {found.items.length === 0 ? (
            <Empty title="No images yet.">
              <p>Images that are pushed to the projects of the group appear here.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {found.items.map((repository) => (
                <Row
                  repository={repository}
                  href={`/${projectOf(repository)}/-/container_registry/${repository.id}`}
                  label={repository.path}
                />
              ))}
            </ul>
          )}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
