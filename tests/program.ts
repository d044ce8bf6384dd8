const bundled = async (): Promise<string> => {
  const { bundledProgram } = await import(new URL('../scripts/bundle.mjs', import.meta.url).href)
  return bundledProgram()
}

/** The file that a test runs as a server or command in a process of its own: the joined sources. */
export const program: string = process.env.FENNEC_TEST_PROGRAM || (await bundled())

/** What the environment of that process has at least. All processes of the tests share one cache of compiled code. */
export const programEnvironment = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
