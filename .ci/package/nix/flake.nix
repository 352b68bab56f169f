{
  description = "A tank of fluid in your terminal: tilt it, push it, leave it running";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "slosh";
          version = "@VERSION@";
          src = pkgs.fetchurl {
            name = "slosh-@VERSION@.tar.gz";
            url = "https://static.crates.io/crates/slosh/slosh-@VERSION@.crate";
            hash = "sha256-@SHA256_BASE64:slosh-VERSION.crate@";
          };
          cargoLock.lockFile = ./Cargo.lock;
          # The tests need terminals, shells and ssh; the release was tested with them.
          doCheck = false;
          cargoBuildFlags = [ "--bins" "--example" "scene_page" ];
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/slosh man >slosh.1
            $(find target -type f -path '*/release/examples/scene_page') >slosh-scene.5
            installManPage slosh.1 slosh-scene.5
            for shell in bash zsh fish; do
              $out/bin/slosh completions $shell >completions.$shell
              installShellCompletion --cmd slosh --$shell completions.$shell
            done
          '';
          meta = {
            homepage = "@HOMEPAGE@";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "slosh";
          };
        };
      });
    };
}
