import type { ListedBadge } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'

/** The host of an address; the address itself where it has none. */
const hostOf = (address: string) => URL.parse(address)?.host ?? address

/**
 * The badges of a project. Images of this server are shown; of one elsewhere only the name, because pages load nothing from other servers,
 * which would learn who reads them.
 */
export function Badges({ visit: { project }, badges }: { visit: Visit; badges: readonly ListedBadge[] }) {
  if (badges.length === 0) return <></>
  const { web_url: address, path_with_namespace: path } = project
  const base = address.slice(0, -path.length)
  return (
    <ul class="project-badges" aria-label="Badges">
      {badges.map(({ name, rendered_link_url: link, rendered_image_url: image }) => {
        const label = name ?? hostOf(link)
        return (
          <li>
            <a href={link} rel="nofollow noreferrer noopener">
              {image.startsWith(base) ? (
                <img src={image} alt={label} height={20} />
              ) : (
                <span class="tagged">{label}</span>
              )}
            </a>
          </li>
        )
      })}
    </ul>
  )
}
