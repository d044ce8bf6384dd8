import { groupPackagesList, type ItemOf, packageRulesList, packagesList } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Empty, Icon, Pages, Time } from '../../parts/parts.tsx'
import { words } from '../../parts/words.ts'
import { publishCommand } from './commands.ts'
import { at } from './places.ts'

type Listed = ItemOf<typeof packagesList>

const formats = { generic: 'Generic', npm: 'npm', pypi: 'PyPI', maven: 'Maven' } as const
/** What a format is called. */
export const formatOf = (type: string): string => formats[type as keyof typeof formats] ?? type

const orders = ['created_at', 'name', 'version', 'type'] as const

/** What the address of the list chooses. */
function chosenIn({ query }: Visit) {
  const { package_name, package_type = '', order_by = '' } = query
  const isType = package_type in formats
  const order = orders.find((one) => one === order_by)
  return {
    ...(package_name && { package_name }),
    ...(isType && { package_type: package_type as keyof typeof formats }),
    ...(order ? { order_by: order } : { sort: 'desc' as const }),
  }
}

function Filter({ visit }: { visit: Visit }) {
  const { package_name: name = '', package_type: type = '' } = visit.query
  return (
    <form method="get" class="filter" role="search" aria-label="This list">
      <input type="search" name="package_name" value={name} placeholder="Name" aria-label="Name contains" />
      <select name="package_type" aria-label="Format">
        <option value="">All formats</option>
        {Object.entries(formats).map(([value, label]) => (
          <option value={value} selected={value === type}>
            {label}
          </option>
        ))}
      </select>
      <button>Filter</button>
    </form>
  )
}

function Row({ found, href, project }: { found: Listed; href: string; project?: string | undefined }) {
  return (
    <li>
      <Icon name="file" />
      <div class="grow">
        <a class="strong" href={href}>
          {found.name}
        </a>{' '}
        <span class="soft">{found.version ?? 'all versions'}</span>{' '}
        {found.status !== 'default' && <span class="tagged">{words(found.status)}</span>}
        <p class="sub">
          {formatOf(found.package_type)}
          {project && ` in ${project}`}
        </p>
      </div>
      <span class="meta when">
        <Time at={found.created_at} />
      </span>
    </li>
  )
}

const isFiltered = ({ query }: Visit) => Boolean(query.package_name || query.package_type)

/** The packages of a project, the newest first. */
export const packages = page({
  at: 'project',
  path: 'packages',
  nav: { section: 'Deploy', label: 'Package registry', operation: packagesList },
  async show(visit) {
    const { id } = visit.project
    const [found, mayProtect] = await Promise.all([
      visit.read(packagesList, { id, ...chosenIn(visit), page: visit.number }),
      visit.may(packageRulesList, { id }),
    ])
    const isNone = found.items.length === 0
    return {
      title: 'Package registry',
      actions: mayProtect && (
        <a class="button" href={at(visit, 'package_protection_rules')}>
          Protected packages
        </a>
      ),
      body: (
        <div>
          {(!isNone || isFiltered(visit)) && <Filter visit={visit} />}
          {isNone && isFiltered(visit) && <Empty title="No package matches." />}
          {isNone && !isFiltered(visit) && (
            <Empty title="No packages yet.">
              <p>Publish a file with an access token:</p>
              <pre tabindex={0}>{publishCommand(visit)}</pre>
            </Empty>
          )}
          {!isNone && (
            <ul class="rows">
              {found.items.map((one) => (
                <Row found={one} href={at(visit, `packages/${one.id}`)} />
              ))}
            </ul>
          )}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

/** The packages of the projects of a group and of everything below it. */
export const groupPackages = page({
  at: 'group',
  path: 'packages',
  nav: { section: 'Deploy', label: 'Package registry', operation: groupPackagesList },
  async show(visit) {
    const call = { id: visit.group.id, ...chosenIn(visit), page: visit.number }
    const found = await visit.read(groupPackagesList, call)
    const isNone = found.items.length === 0
    return {
      title: 'Package registry',
      body: (
        <div>
          {(!isNone || isFiltered(visit)) && <Filter visit={visit} />}
          {isNone && (
            <Empty title={isFiltered(visit) ? 'No package matches.' : 'No packages yet.'}>
              {!isFiltered(visit) && <p>Packages that are published to the projects of the group appear here.</p>}
            </Empty>
          )}
          {!isNone && (
            <ul class="rows">
              {found.items.map((one) => (
                <Row found={one} href={one._links.web_path ?? ''} project={one.project_path} />
              ))}
            </ul>
          )}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
