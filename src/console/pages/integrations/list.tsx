import { type IntegrationEntry, type ItemOf, integrationCatalogue, integrationTwins } from '../../operations.ts'
import { type Page, page, type Visit } from '../../page.ts'
import { Empty, Time } from '../../parts/parts.tsx'
import { at, type Place } from './places.ts'

type Integration = ItemOf<(typeof integrationTwins)[Place]['list']>

/** More than there are in the catalogue. */
const all = 100

const effects: Readonly<Record<IntegrationEntry['does'], string>> = {
  delivers: 'Is sent events',
  mails: 'Sends mails',
  references: 'Turns references into links',
  stored: 'Keeps settings for other programs',
  elsewhere: 'Is set up elsewhere',
}

type Listed = { visit: Visit; place: Place }

function Active({ visit, place, of }: Listed & { of: Integration }) {
  return (
    <li>
      <div class="grow">
        <a class="strong" href={at(visit, place, of.slug)}>
          {of.title}
        </a>
        {of.inherited && <span class="tagged">inherited</span>}
        <p class="sub">
          Changed <Time at={of.updated_at} />
        </p>
      </div>
    </li>
  )
}

function Available({ visit, place, slug, entry }: Listed & { slug: string; entry: IntegrationEntry }) {
  return (
    <li>
      <div class="grow">
        <a class="strong" href={at(visit, place, slug)}>
          {entry.title}
        </a>
        <p class="sub">{effects[entry.does]}</p>
      </div>
    </li>
  )
}

/** The integrations of a project or group: those that are active, and the others of the catalogue. */
export function listPage(place: Place): Page {
  const { list } = integrationTwins[place]
  return page({
    at: place,
    path: 'settings/integrations',
    nav: { section: 'Settings', label: 'Integrations', operation: list },
    async show(visit) {
      const { items } = await visit.read(list, { id: visit[place].id, per_page: all })
      const active = new Set<string>(items.map(({ slug }) => slug))
      const others = [...integrationCatalogue].filter(([slug, { does }]) => !active.has(slug) && does !== 'elsewhere')
      return {
        title: 'Integrations',
        body: (
          <>
            <section>
              <h2>Active</h2>
              {items.length === 0 && <Empty title="No active integrations">Choose one of those below.</Empty>}
              <ul class="list">
                {items.map((of) => (
                  <Active visit={visit} place={place} of={of} />
                ))}
              </ul>
            </section>
            <section>
              <h2>Available</h2>
              <ul class="list">
                {others.map(([slug, entry]) => (
                  <Available visit={visit} place={place} slug={slug} entry={entry} />
                ))}
              </ul>
            </section>
          </>
        ),
      }
    },
  })
}
