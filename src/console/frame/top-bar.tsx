import type { Html } from '../html/index.ts'
import type { UserObject } from '../operations.ts'
import type { Visit } from '../page.ts'
import { Avatar, Icon } from '../parts/parts.tsx'
import { levelOf } from '../parts/writing/prose.tsx'
import { baseOf, signInAddress } from './addresses.ts'

/** Colours that the browser was asked to use instead of those of the system. */
export type Theme = 'dark' | 'light'

/** The head and the ears of a fennec. */
function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" width={22} height={22} focusable="false" aria-hidden="true">
      <path
        fill="currentColor"
        d="M2 1.5 9 8h6l7-6.500c1.200 5.500 .6 9.500-2.200 13L12 22.500l-7.800-8C1.400 11 .8 7 2 1.500z"
      />
      <path
        class="logo-ear"
        d="M4.200 5.500 8 9.200 5.600 12C4.200 10 3.900 8 4.200 5.500zM19.800 5.500 16 9.200l2.400 2.800c1.400-2 1.700-4 1.400-6.500z"
      />
    </svg>
  )
}

/** Where the field at the top searches: in the project or group of the page, for those who may. */
function searchAddress(visit: Visit): string {
  const at = visit.me ? levelOf(visit) : 'instance'
  return at === 'instance' ? '/search' : `${baseOf(visit, at)}/-/search`
}

function Search({ visit }: { visit: Visit }) {
  return (
    <form class="search" method="get" action={searchAddress(visit)} role="search" aria-label="Search">
      <Icon name="search" />
      <input
        type="search"
        name="search"
        aria-label="Search"
        placeholder="Search"
        value={/^[^?]*\/search(?:\?|$)/.test(visit.path) ? (visit.query.search ?? '') : ''}
        autocomplete="off"
      />
      <span class="only-script keys" aria-hidden="true">
        Ctrl K
      </span>
    </form>
  )
}

function ThemeButton({ visit, theme }: { visit: Visit; theme: Theme | undefined }) {
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <form method="post" action="/-/preferences">
      <input type="hidden" name="return_to" value={visit.path} />
      <button class="quiet" name="theme" value={other} title={`Use ${other} colours`}>
        <Icon name="theme" label={`Use ${other} colours`} />
      </button>
    </form>
  )
}

function OwnMenu({ me }: { me: UserObject }) {
  return (
    <details class="menu">
      <summary>
        <Avatar name={me.name} />
        <span class="hidden">Menu of {me.name}</span>
      </summary>
      <div class="popup">
        <p>
          <b>{me.name}</b>
          <br />@{me.username}
        </p>
        <a href={`/${me.username}`}>Your profile</a>
        <a href="/-/profile">Your account</a>
        {me.is_admin === true && <a href="/admin">Administration</a>}
        <form method="post" action="/users/sign_out">
          <button class="link">Sign out</button>
        </form>
      </div>
    </details>
  )
}

/** On a narrow screen, where the side bar is shown instead of the page: the ways there and back. */
function MenuLinks() {
  return (
    <>
      <a class="to-menu" href="#menu">
        <Icon name="menu" label="Menu" />
      </a>
      <a class="from-menu" href="#main">
        <Icon name="close" label="Close the menu" />
      </a>
    </>
  )
}

type TopBarProps = { visit: Visit; theme: Theme | undefined; hasMenu: boolean }

/** What stands above every page: the way home, the search, the colours, the menu of the caller. */
export function TopBar({ visit, theme, hasMenu }: TopBarProps): Html {
  const { me } = visit
  return (
    <header class="top">
      {hasMenu && <MenuLinks />}
      <a class="brand" href="/" aria-label="Fennec, to your projects">
        <Logo />
        <span>Fennec</span>
      </a>
      <Search visit={visit} />
      <nav class="mine" aria-label="Yours">
        <ThemeButton visit={visit} theme={theme} />
        {me ? (
          <OwnMenu me={me} />
        ) : (
          <a class="button" href={signInAddress(visit.path)}>
            Sign in
          </a>
        )}
      </nav>
    </header>
  )
}
