import type { Child, Html } from '../html/index.ts'
import { markdown } from './markdown.ts'

type BannerProps = { message: string; theme: string; label?: string; children?: Child }

/** A broadcast message as it stands on every page. */
export function Banner({ message, theme, label = 'Announcement', children }: BannerProps): Html {
  return (
    <div class={`banner ${theme}`} role="region" aria-label={label}>
      <div>{markdown(message)}</div>
      {children}
    </div>
  )
}

/** How a message will look, by the values of its form. */
export function bannerPreview({ message, theme }: Readonly<Record<string, unknown>>): Html {
  const known = typeof theme === 'string' && /^[a-z-]+$/.test(theme) ? theme : 'indigo'
  return typeof message === 'string' ? <Banner message={message} theme={known} label="Preview" /> : <></>
}
