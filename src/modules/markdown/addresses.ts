/** The project or group of a text, or the instance. */
export type TextPlace = {
  kind: 'project' | 'group' | 'instance'
  id: number
  /** The address of the page of the project or group. */
  base: string
  /** What stands before addresses that begin with a slash; nothing on pages of this server. */
  origin?: string
}

/** Where an address in a text leads: uploads, and files of the repository, are relative to the project (contract 25, x.markdown). */
export function resolverIn({ kind, id, base, origin = '' }: TextPlace): (url: string) => string {
  return (url) => {
    if (kind === 'instance' || /^([a-z][a-z\d+.-]*:|#|\/\/)/i.test(url)) return url
    if (url.startsWith('/uploads/')) return `${origin}/-/${kind}/${id}${url}`
    return url.startsWith('/') || kind === 'group' ? url : `${base}/-/blob/HEAD/${url.replace(/^\.\//, '')}`
  }
}
