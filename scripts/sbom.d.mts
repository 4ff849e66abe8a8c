export interface LockedPackage {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  license?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
}

export interface Component {
  type: string;
  name: string;
  version: string;
  hashes: { alg: string; content: string }[];
  licenses: { license: { id: string } }[];
  purl: string;
}

export function productionPackages(): [path: string, entry: LockedPackage][];
export function sbom(): {
  bomFormat: string;
  specVersion: string;
  metadata: { component: { name: string; version: string } };
  components: Component[];
};
