import type { Html } from '../html/index.ts'
import { assetAddresses } from '../http/assets.ts'
import type { Level, Page, View, Visit } from '../page.ts'
import { Banner as BannerText } from '../parts/banner.tsx'
import { Icon, Time } from '../parts/parts.tsx'
import { endLookPath } from '../sign-in/look.ts'
import { fullPathOf, twoFactorPath } from './addresses.ts'
import type { Banner } from './banners.ts'
import { SideBar } from './side-bar.tsx'
import { type Theme, TopBar } from './top-bar.tsx'

type Framed = {
  visit: Visit
  at: Level
  view: View
  /** The page whose line in the navigation is marked. */
  under: string | undefined
  banners: readonly Banner[]
  /** Why nothing can be changed now; null when it can. */
  maintenance: string | null
  navigation: readonly Page[]
  theme: Theme | undefined
}

function BannerLine({ visit, banner }: { visit: Visit; banner: Banner }) {
  return (
    <BannerText message={banner.message} theme={banner.theme}>
      {banner.isDismissable && (
        <form method="post" action="/-/preferences">
          <input type="hidden" name="return_to" value={visit.path} />
          <button class="quiet" name="dismissed" value={banner.id} title="Dismiss">
            <Icon name="close" label="Dismiss" />
          </button>
        </form>
      )}
    </BannerText>
  )
}

/** Says that an administrator looks at the page as another user sees it. */
function LookLine({ visit: { me, isLook } }: Pick<Framed, 'visit'>) {
  if (!isLook) return <></>
  return (
    <div class="banner look" role="region" aria-label="Look as another user">
      <p>
        You look at this as <b>{me?.name ?? 'another user'}</b>
        {me && ` (@${me.username})`}. Nothing can be changed.
      </p>
      <form method="post" action={endLookPath}>
        <button>End</button>
      </form>
    </div>
  )
}

/** Says until when a second factor has to be set up. */
function SecondFactorLine({ visit: { due } }: Pick<Framed, 'visit'>) {
  if (due === null) return <></>
  return (
    <div class="banner" role="region" aria-label="Second factor">
      <p>
        This server asks for a second factor. <a href={`/-/${twoFactorPath}`}>Set it up</a> until{' '}
        <Time at={due.toISOString()} isExact />; then no other page is shown.
      </p>
    </div>
  )
}

function MaintenanceLine({ maintenance }: Pick<Framed, 'maintenance'>) {
  if (maintenance === null) return <></>
  return (
    <div class="banner" role="region" aria-label="Maintenance">
      <p>{maintenance}</p>
    </div>
  )
}

function Crumbs({ visit, at, view }: Framed) {
  const parts = fullPathOf(visit, at)?.split('/') ?? []
  const above = parts.map((part, index) => [part, `/${parts.slice(0, index + 1).join('/')}`] as const)
  const steps = [...above, ...(view.crumbs ?? [])]
  if (steps.length === 0) return <></>
  return (
    <nav class="crumbs" aria-label="Breadcrumbs">
      <ol>
        {steps.map(([label, href]) => (
          <li>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Head({ view }: { view: View }) {
  return (
    <div class="head">
      <h1>{view.title}</h1>
      {view.actions && <div class="actions">{view.actions}</div>}
    </div>
  )
}

function Document({
  title,
  view,
  theme,
  children,
}: Pick<Framed, 'view' | 'theme'> & { title: string; children: Html }) {
  const { icon, style, script } = assetAddresses
  return (
    <html lang="en" data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {view.refreshes && (
          <noscript>
            <meta http-equiv="refresh" content={refreshTag(view)} />
          </noscript>
        )}
        <title>{title}</title>
        {icon && <link rel="icon" href={icon} type="image/svg+xml" />}
        {style && <link rel="stylesheet" href={style} />}
        {script && <script type="module" src={script}></script>}
      </head>
      {children}
    </html>
  )
}

/** From where the script reads the parts again that make progress. */
function refreshesFrom({ path }: Visit, { refreshes }: View): string | undefined {
  if (typeof refreshes === 'object') return refreshes.next
  return refreshes === true ? path : refreshes || undefined
}

/** When browsers without the script read the page again, and from where if not from its own address. */
const refreshTag = ({ refreshes }: View) => (typeof refreshes === 'object' ? `5; url=${refreshes.next}` : '5')

/** Writes the whole page around what a page shows. */
export function frame(framed: Framed): Html {
  const { visit, at, view, under, banners, navigation, maintenance, theme } = framed
  const title = [view.title, fullPathOf(visit, at), 'Fennec'].filter(Boolean).join(' · ')
  const hasMenu = navigation.length > 0
  return (
    <Document title={title} view={view} theme={theme}>
      <body>
        <a class="skip" href="#main">
          To the content
        </a>
        <LookLine visit={visit} />
        <SecondFactorLine visit={visit} />
        <MaintenanceLine maintenance={maintenance} />
        {banners.map((banner) => (
          <BannerLine visit={visit} banner={banner} />
        ))}
        <TopBar visit={visit} theme={theme} hasMenu={hasMenu} />
        <div class={hasMenu ? 'frame' : 'frame alone'}>
          {hasMenu && <SideBar visit={visit} at={at} navigation={navigation} under={under} />}
          <main id="main" tabindex={-1} data-refreshes={refreshesFrom(visit, view)}>
            <Crumbs {...framed} />
            {!view.isBare && <Head view={view} />}
            {view.body}
          </main>
        </div>
      </body>
    </Document>
  )
}
