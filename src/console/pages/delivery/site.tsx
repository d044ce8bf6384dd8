import type { AnswerOf } from '../../../api/index.ts'
import type { Html } from '../../html/index.ts'
import {
  groupDomainsCreate,
  groupDomainsList,
  groupDomainsVerify,
  type ItemOf,
  pagesDelete,
  pagesGet,
  pagesUpdate,
} from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do, Field, Form } from '../../parts/form.tsx'
import { Copy, Empty, Time } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { at } from '../code/places.ts'

type Site = AnswerOf<typeof pagesGet>
type Domain = ItemOf<typeof groupDomainsList>

/** More domains than a project may have. */
const mostDomains = 100

function Deployments({ site }: { site: Site }): Html {
  if (site.deployments.length === 0) {
    return (
      <Empty title="Nothing is published yet.">
        <p>
          A job with <code>pages: true</code> in <code>.gitlab-ci.yml</code> publishes the folder <code>public</code>.
        </p>
      </Empty>
    )
  }
  return (
    <ul class="rows">
      {site.deployments.map(({ url, path_prefix: prefix, root_directory: folder, created_at: made }) => (
        <li>
          <div class="grow">
            <a class="strong" href={url} rel="noreferrer noopener">
              {prefix === '' ? 'Main site' : prefix}
            </a>
            <p class="sub">
              {folder && (
                <>
                  Folder <code>{folder}</code> ·{' '}
                </>
              )}
              published <Time at={made} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** What the owner of a domain writes into its zone: where the domain leads, and the proof. */
function Records({ domain, site }: { domain: Domain; site: Site }): Html {
  const { hostname } = new URL(site.url)
  return (
    <>
      <p class="sub">Its record CNAME, or ALIAS where it is the domain of a zone itself:</p>
      <Copy text={hostname} label={`Where ${domain.domain} leads`} />
      {!domain.verified && (
        <>
          <p class="sub">
            A TXT record of <code>_fennec-pages-verification-code.{domain.domain}</code>, or of the domain itself:
          </p>
          <Copy
            text={`fennec-pages-verification-code=${domain.verification_code}`}
            label={`Proof of ${domain.domain}`}
          />
        </>
      )}
    </>
  )
}

type DomainProps = { visit: Visit; site: Site; domain: Domain; mayChange: boolean }

/** What can be done with a domain in its state. */
function DomainActs({ visit, site, domain: { domain, verified }, mayChange }: DomainProps): Html {
  const quiet = { ...visit, refused: null }
  const { id } = visit.project
  const named = <span class="hidden"> {domain}</span>
  if (!verified) {
    return (
      <Do visit={quiet} performs={groupDomainsVerify} call={{ id, domain }}>
        Verify{named}
      </Do>
    )
  }
  if (!mayChange) return <></>
  const isPrimary = site.primary_domain === domain
  return (
    <Do
      visit={quiet}
      performs={pagesUpdate}
      form="primary"
      call={{ id, pages_primary_domain: isPrimary ? '' : domain }}
      kind="quiet"
    >
      {isPrimary ? 'Not primary any more' : 'Make primary'}
      {named}
    </Do>
  )
}

function DomainRow(props: DomainProps): Html {
  const { visit, site, domain } = props
  const { domain: name, verified, url } = domain
  return (
    <li>
      <div class="grow">
        <a class="strong" href={at(visit, `pages/domains/${encodeURIComponent(name)}`)}>
          {name}
        </a>{' '}
        <span class={verified ? 'tagged good' : 'tagged'}>{verified ? 'verified' : 'not verified'}</span>
        {site.primary_domain === name && <span class="tagged">primary</span>}
        {verified && <p class="sub">{url}</p>}
        <Records domain={domain} site={site} />
      </div>
      <DomainActs {...props} />
    </li>
  )
}

function Settings({ visit, site }: { visit: Visit; site: Site }): Html {
  const field = { visit, operation: pagesUpdate }
  return (
    <Form visit={visit} performs={pagesUpdate} call={{ id: visit.project.id }} class="stack">
      <Field
        {...field}
        name="pages_unique_domain_enabled"
        options={{
          label: 'The site has a host for itself',
          hint: 'Without it, the site is at the host of its namespace, beside those of other projects.',
          value: site.is_unique_domain_enabled,
        }}
      />
      <Field
        {...field}
        name="pages_https_only"
        options={{ label: 'HTTPS only', hint: 'Requests by HTTP are led to HTTPS.', value: site.force_https }}
      />
      <button class="primary">Save</button>
    </Form>
  )
}

/** The site of a project: where it is, what is published, its settings and its domains. */
export const site = page({
  at: 'project',
  path: 'pages',
  nav: { section: 'Deploy', label: 'Pages', operation: pagesGet },
  performs: [pagesUpdate, pagesDelete, groupDomainsVerify],
  async show(visit) {
    const { id } = visit.project
    const found = await visit.read(pagesGet, { id })
    const [domains, mayChange, mayDelete, mayAdd] = await Promise.all([
      visit.find(groupDomainsList, { id, per_page: mostDomains }),
      visit.may(pagesUpdate, { id }),
      visit.may(pagesDelete, { id }),
      visit.may(groupDomainsCreate, { id, domain: '' }),
    ])
    const listed = domains?.items ?? []
    const isPublished = found.deployments.length > 0
    return {
      title: 'Pages',
      actions: isPublished && mayDelete && (
        <Confirm label="Remove" question="Remove everything that is published? Settings and domains stay.">
          <Do visit={{ ...visit, refused: null }} performs={pagesDelete} call={{ id }} kind="danger">
            Remove the site
          </Do>
        </Confirm>
      ),
      body: (
        <div class="derived">
          <Refusal visit={visit} except={visit.refused?.form ? undefined : pagesUpdate} />
          <p>
            <span class={isPublished ? 'tagged good' : 'tagged'}>{isPublished ? 'published' : 'not published'}</span>
          </p>
          <Copy text={found.url} label="Address of the site" />
          {found.primary_domain && <p class="sub">It leads to {found.primary_domain}.</p>}
          <h2>Deployments</h2>
          <Deployments site={found} />
          {mayChange && (
            <>
              <h2>Settings</h2>
              <Settings visit={visit} site={found} />
            </>
          )}
          <h2>Domains</h2>
          {listed.length === 0 && <p class="soft">The site has no domains of its own.</p>}
          <ul class="rows">
            {listed.map((domain) => (
              <DomainRow visit={visit} site={found} domain={domain} mayChange={mayChange} />
            ))}
          </ul>
          {mayAdd && (
            <p>
              <a class="button" href={at(visit, 'pages/domains/new')}>
                Add a domain
              </a>
            </p>
          )}
        </div>
      ),
    }
  },
})
