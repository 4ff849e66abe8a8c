import { spawnSync } from 'node:child_process';

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly args: string;
}

/** The arguments of a process and of its descendants, one text per process, as every user of the machine can read them. */
export function argumentsOfTree(root: number): string[] {
  return processTree(root).map(({ args }) => args);
}

/** The ids of a process and of its descendants, the process itself first. */
export function idsOfTree(root: number): number[] {
  return [root, ...processTree(root).flatMap(({ pid }) => (pid === root ? [] : [pid]))];
}

function processTree(root: number): Process[] {
  const table = spawnSync('ps', ['-ww', '-A', '-o', 'pid=,ppid=,args='], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26, // bytes
  });
  const processes = table.stdout.split('\n').map((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), args };
  });
  const tree = new Set([root]);
  let size: number;
  do {
    size = tree.size;
    for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid);
  } while (tree.size > size);
  return processes.filter(({ pid }) => tree.has(pid));
}
