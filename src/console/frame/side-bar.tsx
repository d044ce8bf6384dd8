import type { Html } from '../html/index.ts'
import { type Level, type Page, sections, type Visit } from '../page.ts'
import { Avatar } from '../parts/parts.tsx'
import { decoded } from '../routes.ts'
import { addressOfPage } from './addresses.ts'

type Link = { section: (typeof sections)[number]; label: string; href: string }
type SideBarProps = { visit: Visit; at: Level; navigation: readonly Page[]; under: string | undefined }

/** The address of the link to this page: the longest that the address of the page begins with. */
function currentOf(links: readonly Link[], visit: Visit, home: string): string | undefined {
  const here = decoded(visit.path.split('?', 1)[0] ?? '')
  const above = links.map(({ href }) => href).filter((href) => href !== home && here.startsWith(`${href}/`))
  const own = links.find(({ href }) => href === here)?.href
  return own ?? above.sort((one, other) => other.length - one.length)[0]
}

function Links({ links, current }: { links: readonly Link[]; current: string | undefined }) {
  return (
    <ul>
      {links.map(({ href, label }) => (
        <li>
          <a href={href} aria-current={href === current ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Sections that are open on their own pages only. */
const folded: readonly string[] = ['Settings', 'Account', 'Instance']

function Section({ name, links, current }: { name: string; links: readonly Link[]; current: string | undefined }) {
  if (links.length === 0) return <></>
  if (!folded.includes(name)) {
    return (
      <section>
        {name !== '' && <h2>{name}</h2>}
        <Links links={links} current={current} />
      </section>
    )
  }
  return (
    <details class="section" open={links.some(({ href }) => href === current)}>
      <summary>{name}</summary>
      <Links links={links} current={current} />
    </details>
  )
}

/** The pages of the project, group or server that the caller may open. On a narrow screen, `#menu` shows it. */
export function SideBar({ visit, at, navigation, under }: SideBarProps): Html {
  const name = at === 'project' ? visit.project.name : at === 'group' ? visit.group.name : null
  const home = addressOfPage(visit, at, '')
  const links: Link[] = navigation.flatMap(({ nav, path }) =>
    nav ? [{ section: nav.section, label: nav.label, href: addressOfPage(visit, at, path) }] : [],
  )
  const current = under === undefined ? currentOf(links, visit, home) : addressOfPage(visit, at, under)
  return (
    <nav class="side" id="menu" aria-label={name ?? 'Fennec'}>
      {name && (
        <a class="place" href={home}>
          <Avatar name={name} square />
          <span>{name}</span>
        </a>
      )}
      {sections.map((section) => (
        <Section name={section} links={links.filter((link) => link.section === section)} current={current} />
      ))}
    </nav>
  )
}
