/** Loads the SSH library when SSH is served: a start without it is faster. */
export type Ssh2 = typeof import('ssh2')

export async function loadSsh2(): Promise<Ssh2> {
  return (await import('ssh2')).default
}
