/** The address of a project for git over HTTP, with what opens it. @param fullPath the project's */
export function httpUrl(
  { url }: { url: string },
  { username = 'x', token }: { username?: string; token: string },
  fullPath: string,
): string {
  return `${url.replace('://', `://${username}:${token}@`)}/${fullPath}.git`
}
